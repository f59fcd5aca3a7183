/** Counters in the single row that every write locks. */
export interface DeskHead {
  ledgerVersion: number;
  settingsChanges: number;
  /** The `seq` of the newest decision. */
  decisions: number;
  /** The newest position of the feed. */
  feedEnd: number;
  /** The newest number of an account. */
  accounts: number;
  logSize: number;
  logAt: number;
  logHash: Buffer | null;
}
