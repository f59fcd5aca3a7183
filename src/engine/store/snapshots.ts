export interface Snapshots {
  /**
   * Writes everything to a SQLite file, as of one moment between the call and its end, while others continue to read
   * and write. Rejects when `signal` aborts; the file's content is then useless.
   */
  copyTo(file: string, signal: AbortSignal): Promise<void>;
  /** Number of the newest migration. */
  schemaVersion(): Promise<number>;
  databaseBytes(): Promise<bigint>;
  /** A small write without effect. It rejects if writes currently fail. */
  tryWrite(): Promise<void>;
  /** Problems that the database finds in itself; empty if it is sound. */
  integrityFaults(): Promise<string[]>;
}
