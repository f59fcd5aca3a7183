import type { OperationCounts } from '../../core/reputation/reputation.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';

/** Absent fields do not filter. */
export interface DecisionQuery {
  paymasterId?: string | undefined;
  /** Only for this account's DApps. */
  accountId?: string | undefined;
  /** In lower case, as stored. */
  sender?: string | undefined;
  outcome?: DecisionRecord['outcome'] | undefined;
  rule?: string | undefined;
  /** Decisions at this time (epoch ms) or later. */
  from?: number | undefined;
  /** Decisions before this time (epoch ms). */
  to?: number | undefined;
}

export interface DecisionFilter extends DecisionQuery {
  /** In lower case. Finds sponsored operations, including those that were mined under another hash. */
  userOpHash?: string | undefined;
  decisionId?: string | undefined;
  /** The signed value, in lower case. This filter and the next one read every record that the other filters select. */
  paymasterAndData?: string | undefined;
  /** Decimal. */
  nonce?: string | undefined;
  /** Id of a rule in shadow that would have denied the decisions. */
  wouldDeny?: string | undefined;
  /**
   * Text in lower case that the sender, hash, id, called contract or method, DApp or reason contains.
   */
  text?: string | undefined;
  /** Only decisions with a smaller `seq`. */
  before?: number | undefined;
  limit: number;
}

/** A page of decisions, oldest first. */
export interface DecisionPage {
  /** May be fewer than the limit, if decisions are large: a page takes at most about 1 MiB plus one decision. */
  decisions: DecisionRecord[];
  /** All matches up to this `seq` are in this page or an earlier one. The next page begins after it. */
  upTo: number;
  /** False: no decision follows `upTo`. */
  more: boolean;
}

export type OutcomeCounts = Record<DecisionRecord['outcome'], number>;

export interface DecisionSummary {
  /** Counts per step, oldest step first. */
  outcomes: OutcomeCounts[];
  /** Sponsored operations that are no longer reserved, one per step, and how many of these are mined. */
  included: OperationCounts[];
  /** Number of denials, by the rule that denied. */
  rules: Map<string, number>;
  /** Cost in wei per step, by chain: the actual cost, or the maximum cost while it is reserved. */
  spent: Map<number, bigint[]>;
}

export interface PaidSince {
  paidWei: bigint;
  /** Epoch ms; undefined if nothing was paid. */
  firstAt: number | undefined;
}

/** Signed operations of one DApp that are neither mined nor released. */
export interface OutstandingReservations {
  paymasterId: string;
  chainId: number;
  reservedWei: bigint;
  operations: number;
}

/** Sum of a rolling window's buckets. */
export interface RollingHoldings {
  /** Window of the first bucket. */
  first: number;
  /** Sum of all buckets. */
  held: bigint;
}

export interface WindowUsers {
  users: number;
  /** Number of users who have used up the limit. */
  atLimit: number;
  /** Highest usage first: address in lower case or keyed hash of a person; operations or wei. */
  nearest: { user: string; used: bigint }[];
}

/** What a rule in shadow would have denied in its cycle, among sponsored operations. */
export interface ShadowResult {
  readonly operations: number;
  readonly wouldDeny: number;
  readonly users: number;
}
