import type { DecisionRecord } from '../../shared/schema/decision.ts';

/** Which past decisions are read. Requests that failed before they were decided are none. */
export interface PastQuery {
  readonly paymasterId: string;
  /** Only decisions made at this time (epoch ms) or later. */
  readonly from?: number | undefined;
  /** Only decisions made before this time (epoch ms). */
  readonly to?: number | undefined;
  /** Only so many, the newest. */
  readonly last?: number | undefined;
}

/** How many they are, and when the first and the last were made, epoch ms; null where there are none. */
export interface PastExtent {
  readonly decisions: number;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

/** A decision, and the policy revision that it names, as it was stored. */
export interface PastDecision {
  readonly record: DecisionRecord;
  readonly revision: unknown;
}

/** The past decisions of a DApp, as they were when they were asked for. */
export interface PastDecisions {
  readonly extent: PastExtent;
  /** The next ones, in order, some dozen at a time; none at the end. */
  next(): PastDecision[] | Promise<PastDecision[]>;
  close(): void | Promise<void>;
}
