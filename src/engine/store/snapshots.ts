export interface Snapshots {
  /**
   * Writes everything to a SQLite file, in the state of one moment between the call and its end. Others continue to
   * read and write meanwhile. Rejects when `signal` aborts; the file's content is then useless.
   */
  copyTo(file: string, signal: AbortSignal): Promise<void>;
  /** Number of the newest migration. */
  schemaVersion(): Promise<number>;
  databaseBytes(): Promise<bigint>;
  /** Makes a small write without effect. Rejects if writes currently fail. */
  tryWrite(): Promise<void>;
  /** Problems that the database finds in itself; empty if it is intact. */
  integrityFaults(): Promise<string[]>;
  /**
   * Whether the engine itself checkpoints its SQLite database. A continuous backup does so instead, in a thread of its
   * own.
   */
  setCheckpoints(own: boolean): Promise<void>;
}
