/** The database as a whole. */
export interface Snapshots {
  /**
   * Writes everything to a database file of SQLite, as it is at one moment between the call and its end, while others go on
   * reading and writing. Rejects when `signal` aborts; what is in the file then is of no use.
   */
  copyTo(file: string, signal: AbortSignal): Promise<void>;
  /** The schema of the database: the number of its newest migration. */
  schemaVersion(): Promise<number>;
  /** About how large a copy is. */
  databaseBytes(): Promise<bigint>;
  /** Writes something small, which changes nothing: rejects as every write does then. */
  tryWrite(): Promise<void>;
  /** Problems the database finds in itself; empty when it is sound. */
  integrityFaults(): Promise<string[]>;
}
