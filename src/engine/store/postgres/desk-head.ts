/** Counters in the single row that every write locks. */
export interface DeskHead {
  ledgerVersion: number;
  settingsChanges: number;
  /** Number of decisions. */
  decisions: number;
  /** The newest number of an account. */
  accounts: number;
  logSize: number;
  logAt: number;
  logHash: Buffer | null;
}
