import type { OperationCounts } from '../../core/reputation/reputation.ts';
import type { WebhookCallRow } from '../../api/webhooks.ts';
import type { AccountKey } from '../../core/ledger/account.ts';
import type { DecisionRecord, DecisionRow, FeedPage } from '../../shared/schema/decision.ts';
import type { Address } from '../../shared/schema/hex.ts';

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
  /** Highest usage first: address in lower case, operations or wei. */
  nearest: { user: Address; used: bigint }[];
}

/** What a rule in shadow would have denied in its cycle, among sponsored operations. */
export interface ShadowResult {
  readonly operations: number;
  readonly wouldDeny: number;
  readonly users: number;
}

export interface DecisionQueries {
  /** Newest first, up to the limit. */
  listDecisions(filter: DecisionFilter): Promise<DecisionRow[]>;
  /** Oldest first, only a `seq` greater than `after`. */
  pageDecisions(page: DecisionQuery & { after: number; limit: number }): Promise<DecisionPage>;
  /**
   * Decisions made or changed by settlement after a position of the feed, in commit order, each in its current state.
   * May be fewer than the limit, if decisions are large.
   */
  pageFeed(page: { after: number; limit: number }): Promise<FeedPage>;
  /**
   * Adds some decisions to the index that finds texts and senders, which takes some ms. Searches read the decisions that
   * are not in the index.
   *
   * @param maySave whether this engine stores the index in the database; only one of several engines does
   * @returns false if all decisions are indexed, or if none were added because many were stored since the last call
   */
  fillSearchIndex(maySave: boolean): Promise<boolean>;
  findDecision(decisionId: string): Promise<DecisionRecord | undefined>;
  minedBlock(decisionId: string): Promise<number | undefined>;
  countDecisions(): Promise<number>;
  /** The webhook calls of a DApp's newest decisions, newest decision first. `decisions` is the number of decisions. */
  webhookCalls(query: { paymasterId: string; decisions: number }): Promise<WebhookCallRow[]>;
  /**
   * Counts the decisions of one DApp or all, from `from` (epoch ms) on, in steps of `stepMs`. The last step includes
   * all later decisions.
   */
  summarizeDecisions(query: {
    paymasterId?: string | undefined;
    from: number;
    stepMs: number;
    steps: number;
  }): Promise<DecisionSummary>;
  /**
   * Total cost of the settled operations of some DApps that were decided from `from` (epoch ms) on, and the time of the
   * first.
   */
  paidSince(query: { paymasterIds: readonly string[]; from: number; to: number }): Promise<PaidSince>;
  /** Outstanding reservations by DApp. DApps without reservations are omitted. */
  outstandingReservations(): Promise<OutstandingReservations[]>;
  /** Sum of a rolling window's buckets; the window in `account` is ignored. Undefined if no bucket exists. */
  rollingHoldings(account: AccountKey): Promise<RollingHoldings | undefined>;
  shadowResult(rule: { readonly ruleId: string; readonly cycle: number }): Promise<ShadowResult>;
  /** How close the users of a limit are to the threshold, in the account's window. */
  windowUsers(window: { account: AccountKey; threshold: bigint; most: number }): Promise<WindowUsers>;
}
