import type { PastDecision } from '../../core/decision/past-decision.ts';

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

/** The past decisions of a DApp that existed at the time of the query. */
export interface PastDecisions {
  readonly extent: PastExtent;
  /** The next decisions in order, some dozens at a time; empty at the end. */
  next(): Promise<PastDecision[]>;
  close(): void | Promise<void>;
}

/** The past decisions of a DApp, and a sample of them that is read at once, however many they are. */
export interface SampledDecisions extends Omit<PastDecisions, 'extent'> {
  /** Includes requests that failed, and decisions just before and after the times of the query. */
  readonly decisions: number;
  /**
   * Decisions that are spread over all of them, in order; the newest is included. Read one by one, because V8 assumes
   * that all later ones are kept, too, if these are kept, and then collects garbage for longer than they are decided.
   */
  readonly sample: AsyncIterable<PastDecision>;
}
