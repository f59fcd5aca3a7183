import type { DecisionRecord } from '../../shared/schema/decision.ts';

/** Which past decisions to read. Requests that failed before a decision are excluded. */
export interface PastQuery {
  readonly paymasterId: string;
  /** Decisions at this time (epoch ms) or later. */
  readonly from?: number | undefined;
  /** Decisions before this time (epoch ms). */
  readonly to?: number | undefined;
  /** Only this many, the newest. */
  readonly last?: number | undefined;
}

/** Number of decisions, and when the first and the last were made, epoch ms; null if none exist. */
export interface PastExtent {
  readonly decisions: number;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

export interface PastDecision {
  readonly record: DecisionRecord;
  readonly revision: unknown;
}

/** The past decisions of a DApp, as of the query. */
export interface PastDecisions {
  readonly extent: PastExtent;
  /** The next ones in order, some dozen at a time; empty at the end. */
  next(): Promise<PastDecision[]>;
  close(): void | Promise<void>;
}
