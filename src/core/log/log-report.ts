/** What can be wrong with a log. */
export type LogFaultCode =
  | 'NOT_AN_ENTRY'
  | 'MISPLACED'
  | 'WRONG_POSITION'
  | 'ALTERED'
  | 'TIME_RUNS_BACK'
  | 'LATER_THAN_ITS_ENTRY'
  | 'POLICY_DIFFERS'
  | 'VERDICT_DIFFERS'
  | 'NOT_REPLAYABLE'
  | 'LEDGER_DIFFERS'
  | 'DECISION_TWICE'
  | 'UNKNOWN_DECISION'
  | 'CHECKPOINT_UNTRUSTED'
  | 'CHECKPOINT_DIFFERS'
  | 'INCOMPLETE'
  | 'HEAD_DIFFERS'
  | 'ROLLED_BACK';

/** Something that is wrong with a log. */
export interface LogFault {
  /** The position of the entry at fault; null where it is none of them. */
  readonly entry: number | null;
  /** The id of its decision, if it is one. */
  readonly id: string | null;
  readonly fault: LogFaultCode;
  readonly detail: string;
}

/** What verifying a log has found. */
export interface LogReport {
  readonly ok: boolean;
  readonly entries: number;
  /** How many decisions another version took: their words and evidence were not compared. */
  readonly byOtherEngine: number;
  /** The head that the log was verified against; null where there is none that can be trusted. */
  readonly checkpoint: { readonly origin: string; readonly size: number; readonly root: string } | null;
  /** The first 1,000, in the order of the entries. */
  readonly faults: readonly LogFault[];
}
