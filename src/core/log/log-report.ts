import type { NotReplayable } from '../replay/replay.ts';

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
  | 'ODD_FIELD'
  | 'UNKNOWN_ENGINE'
  | 'POLICY_NOT_IN_FORCE'
  | 'SETTLEMENT_INVALID'
  | 'HOLD_INVALID'
  | 'RESET_INVALID'
  | 'NOT_CONTINUED'
  | 'STORED_DIFFERS'
  | 'ROLLED_BACK';

export interface LogFault {
  /** The position of the faulty entry; null if no single entry is at fault. */
  readonly entry: number | null;
  /** The id of the decision, if the entry is a decision. */
  readonly id: string | null;
  readonly fault: LogFaultCode;
  readonly detail: string;
}

export interface LogChecks {
  readonly decisions: number;
  /** Number of decisions decided again, whatever the result. */
  readonly replayed: number;
  /** Number of decisions not decided again, by reason. */
  readonly notReplayed: Readonly<Partial<Record<NotReplayable, number>>>;
  /** Number of entries at the end that no checkpoint covers yet. */
  readonly unsignedTail: number;
  /** True: the signers of sponsored operations were checked. */
  readonly signatures: boolean;
  /** True: for every sponsored decision, the amounts in its accounts were computed. */
  readonly amounts: boolean;
  /**
   * Number of operations that were reserved again while they were reserved. This happens if a repeated request is
   * signed twice.
   */
  readonly reservedTwice: number;
}

export interface ReportedHead {
  readonly origin: string;
  readonly size: number;
  /** Base64. */
  readonly root: string;
}

export interface LogReport {
  readonly ok: boolean;
  readonly entries: number;
  /** Number of decisions that another version made. Their texts and evidence were not compared. */
  readonly byOtherEngine: number;
  /** The head that the log was verified against; null if there is no trusted head. */
  readonly checkpoint: ReportedHead | null;
  /** The earlier head that the log continues; null if no earlier head was given, or the log does not continue it. */
  readonly since: ReportedHead | null;
  readonly checked: LogChecks;
  /** The first 1,000, in the order of the entries. */
  readonly faults: readonly LogFault[];
}

/** Adds a fault. @param entry by default the current one @param id of its decision; null by default */
export type AddFault = (fault: LogFaultCode, detail: string, entry?: number | null, id?: string | null) => void;
