import type { WebhookCallRow } from '../../api/webhooks.ts';
import type { AccountKey } from '../../core/ledger/account.ts';
import type { DecisionRecord, DecisionRow, FeedPage } from '../../shared/schema/decision.ts';
import type { Address } from '../../shared/schema/hex.ts';

/** Which decisions are asked for; what is not given does not filter. */
export interface DecisionQuery {
  paymasterId?: string | undefined;
  /** Only of the DApps of this account. */
  accountId?: string | undefined;
  /** In lower case, as it is stored. */
  sender?: string | undefined;
  outcome?: DecisionRecord['outcome'] | undefined;
  /** The deciding rule. */
  rule?: string | undefined;
  /** Only decisions made at this time (epoch ms) or later. */
  from?: number | undefined;
  /** Only decisions made before this time (epoch ms). */
  to?: number | undefined;
}

/** Filters of the decision list. */
export interface DecisionFilter extends DecisionQuery {
  /** In lower case. Finds sponsored operations, also by another hash under which they were mined. */
  userOpHash?: string | undefined;
  decisionId?: string | undefined;
  /** As it was signed, in lower case. Reads every record that the other filters leave, like the next. */
  paymasterAndData?: string | undefined;
  /** Decimal. */
  nonce?: string | undefined;
  /** The id of a rule in shadow that would have denied them. */
  wouldDeny?: string | undefined;
  /** In lower case: part of the sender, hash, id, called contract or method, DApp or reason. Reads every record. */
  text?: string | undefined;
  /** Only decisions with a smaller `seq`. */
  before?: number | undefined;
  limit: number;
}

/** A page of decisions, oldest first. */
export interface DecisionPage {
  /** Fewer than the limit, too, where they are big: a page takes up no more than about 1 MiB and one decision. */
  decisions: DecisionRecord[];
  /** Whatever matches up to this `seq` is in this page or before it: the next page begins after it. */
  upTo: number;
  /** False: there was nothing after `upTo`. */
  more: boolean;
}

/** How often each outcome came. */
export type OutcomeCounts = Record<DecisionRecord['outcome'], number>;

/** Decisions of a time that is divided into equal steps. */
export interface DecisionSummary {
  /** One per step, oldest first. */
  outcomes: OutcomeCounts[];
  /** Denials by deciding rule. */
  rules: Map<string, number>;
  /** Wei by chain, one per step: the actual cost, or the maximum while it is reserved. */
  spent: Map<number, bigint[]>;
}

/** What was paid for operations in some time. */
export interface PaidSince {
  paidWei: bigint;
  /** Epoch ms; undefined where nothing was paid. */
  firstAt: number | undefined;
}

/** What is signed for one DApp and may still be taken: neither mined nor released. */
export interface OutstandingReservations {
  paymasterId: string;
  chainId: number;
  reservedWei: bigint;
  operations: number;
}

/** What the parts of a rolling window hold. */
export interface RollingHoldings {
  /** The window of the first of them. */
  first: number;
  /** What all of them hold together. */
  held: bigint;
}

/** What the users of a limit per user hold in one window. */
export interface WindowUsers {
  /** How many there are. */
  users: number;
  /** How many have nothing left. */
  atLimit: number;
  /** Those who hold the most, the most first: address in lower case, operations or wei. */
  nearest: { user: Address; used: bigint }[];
}

/** What a rule in shadow would have denied in its cycle, of what was sponsored. */
export interface ShadowResult {
  readonly operations: number;
  readonly wouldDeny: number;
  readonly users: number;
}

/** What is asked of decisions and of what they hold. */
export interface DecisionQueries {
  /** Newest first: as many as are asked for, or all there are. */
  listDecisions(filter: DecisionFilter): Promise<DecisionRow[]>;
  /** Oldest first, those with a `seq` greater than `after`. */
  pageDecisions(page: DecisionQuery & { after: number; limit: number }): Promise<DecisionPage>;
  /**
   * What was decided, or changed by settlement, after a position of the feed, in the order of the commits; each decision as
   * it is now. Fewer than the limit, too, where decisions are big.
   */
  pageFeed(page: { after: number; limit: number }): Promise<FeedPage>;
  findDecision(decisionId: string): Promise<DecisionRecord | undefined>;
  /** The block that settled a decision; undefined where none has. */
  minedBlock(decisionId: string): Promise<number | undefined>;
  countDecisions(): Promise<number>;
  /** The calls to webhooks that so many of a DApp's newest decisions made, the newest decision first. */
  webhookCalls(query: { paymasterId: string; decisions: number }): Promise<WebhookCallRow[]>;
  /**
   * What was decided, for one DApp or for all, from `from` (epoch ms) on, in so many steps of `stepMs`; the last holds all
   * later ones too.
   */
  summarizeDecisions(asked: {
    paymasterId?: string | undefined;
    from: number;
    stepMs: number;
    steps: number;
  }): Promise<DecisionSummary>;
  /** What settled operations of the DApps that were decided from `from` (epoch ms) on did cost, and when the first was. */
  paidSince(query: { paymasterIds: readonly string[]; from: number; to: number }): Promise<PaidSince>;
  /** What the reserved decisions hold of their tanks, by DApp; those without any are not named. */
  outstandingReservations(): Promise<OutstandingReservations[]>;
  /** What all parts of a rolling window hold, whatever window the account names; undefined where there are none. */
  rollingHoldings(account: AccountKey): Promise<RollingHoldings | undefined>;
  shadowResult(rule: { readonly ruleId: string; readonly cycle: number }): Promise<ShadowResult>;
  /** How near to the threshold the users of a limit are in the window of the account. */
  windowUsers(window: { account: AccountKey; threshold: bigint; most: number }): Promise<WindowUsers>;
}
