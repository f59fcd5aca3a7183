/** Numbers that writes continue. On PostgreSQL, they are in the single row that every write locks. */
export interface DeskHead {
  ledgerVersion: number;
  /** The newest number of an account. */
  accounts: number;
  logSize: number;
  /** Of the last entry. */
  logAt: number;
  logHash: Buffer | null;
}
