/** The database as a whole. */
export interface Snapshots {
  /**
   * Writes everything to a database file of SQLite, as it is at one moment between the call and its end, while others go on
   * reading and writing. Rejects when `signal` aborts; what is in the file then is of no use.
   */
  copyTo(file: string, signal: AbortSignal): Promise<void>;
  /** The schema of the database: the number of its newest migration. */
  schemaVersion(): Promise<number>;
  /** Problems the database finds in itself; empty when it is sound. */
  integrityFaults(): Promise<string[]>;
}
