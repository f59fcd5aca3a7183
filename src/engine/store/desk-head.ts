/** Numbers at which the next writes continue. On PostgreSQL, they are in the single row that every write locks. */
export interface DeskHead {
  ledgerVersion: number;
  /** The newest number of an account. */
  accounts: number;
  logSize: number;
  /** Time of the last entry. */
  logAt: number;
  logHash: Buffer | null;
}
