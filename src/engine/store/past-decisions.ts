import type { DecisionRecord } from '../../shared/schema/decision.ts';

/** Which past decisions to read. Requests that failed before a decision are excluded. */
export interface PastQuery {
  readonly paymasterId: string;
  /** Decisions at this time (epoch ms) or later. */
  readonly from?: number | undefined;
  /** Decisions before this time (epoch ms). */
  readonly to?: number | undefined;
  /** Only this many decisions, the newest ones. */
  readonly last?: number | undefined;
}

/** Number of decisions, and the times of the first and the last one, epoch ms; null if none exist. */
export interface PastExtent {
  readonly decisions: number;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

export interface PastDecision {
  readonly record: DecisionRecord;
  readonly revision: unknown;
}

/** The past decisions of a DApp that existed at the time of the query. */
export interface PastDecisions {
  readonly extent: PastExtent;
  /** The next decisions in order, some dozens at a time; empty at the end. */
  next(): Promise<PastDecision[]>;
  close(): void | Promise<void>;
}

/** The past decisions of a DApp, and a sample of them that is read at once, however many they are. */
export interface SampledDecisions extends PastDecisions {
  /** Its number of decisions includes requests that failed, and those just before and after the times of the query. */
  readonly extent: PastExtent;
  /** Decisions that are spread over all of them, in order; the newest is included. */
  readonly sample: readonly PastDecision[];
}
