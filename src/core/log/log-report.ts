import type { NotReplayable } from '../replay.ts';

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
  | 'ODD_FIELD'
  | 'UNKNOWN_ENGINE'
  | 'POLICY_NOT_IN_FORCE'
  | 'SETTLEMENT_INVALID'
  | 'HOLD_INVALID'
  | 'RESET_INVALID'
  | 'NOT_CONTINUED'
  | 'STORED_DIFFERS'
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

/** What of a log was checked, and what was not. */
export interface LogChecks {
  readonly decisions: number;
  /** How many were decided again, whatever came of it. */
  readonly replayed: number;
  /** How many were not, by why. */
  readonly notReplayed: Readonly<Partial<Record<NotReplayable, number>>>;
  /** How many entries no checkpoint covers yet: the last ones. */
  readonly unsignedTail: number;
  /** True: who signed sponsored operations was checked. */
  readonly signatures: boolean;
  /** True: what every sponsored decision found in its accounts was computed. */
  readonly amounts: boolean;
  /** How many decisions an opening tells of: which policy they name, and when, was not checked. Absent where there are none. */
  readonly earlier?: number;
  /** How many operations were reserved while they were reserved already: what was asked twice is signed twice. */
  readonly reservedTwice: number;
}

/** A signed head. */
export interface ReportedHead {
  readonly origin: string;
  readonly size: number;
  /** Base64. */
  readonly root: string;
}

/** What verifying a log has found. */
export interface LogReport {
  readonly ok: boolean;
  readonly entries: number;
  /** How many decisions another version took: their words and evidence were not compared. */
  readonly byOtherEngine: number;
  /** The head that the log was verified against; null where there is none that can be trusted. */
  readonly checkpoint: ReportedHead | null;
  /** The earlier head that the log was found to continue; null where none was asked about, or it does not. */
  readonly since: ReportedHead | null;
  readonly checked: LogChecks;
  /** The first 1,000, in the order of the entries. */
  readonly faults: readonly LogFault[];
}

/** Adds what is wrong. @param entry the one that is looked at unless said @param id of its decision; null by default */
export type AddFault = (fault: LogFaultCode, detail: string, entry?: number | null, id?: string | null) => void;
