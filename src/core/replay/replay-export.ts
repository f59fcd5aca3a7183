import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { type Difference, type NotReplayable, type ReplayHow, replay } from './replay.ts';

/** The result of deciding many decisions again (behaviour 9.3). */
export interface ReplayReport {
  readonly decisions: number;
  readonly same: number;
  /** Number of decisions that another version made. Their texts and evidence were not compared. */
  readonly byOtherEngine: number;
  readonly different: readonly Difference[];
  readonly notReplayable: Readonly<Partial<Record<NotReplayable, number>>>;
}

export interface ReplayOptions extends ReplayHow {
  readonly isMeant: (decision: DecisionRecord) => boolean;
}

/**
 * Decides the decisions of an export again, in its order. Each policy revision precedes the first decision that names
 * it.
 */
export const replayExport = async (
  pages: AsyncIterable<readonly DecisionRecord[]>,
  { isMeant, ...how }: ReplayOptions,
): Promise<ReplayReport> => {
  const revisions = new Map<string, unknown>();
  const different: Difference[] = [];
  const notReplayable: Partial<Record<NotReplayable, number>> = {};
  let [decisions, same, byOtherEngine] = [0, 0, 0];
  for await (const page of pages) {
    for (const decision of page) {
      const { policy = '', policyRevision } = decision;
      if (policyRevision !== undefined) revisions.set(policy, policyRevision);
      if (!isMeant(decision)) continue;
      decisions += 1;
      const replayed = replay(decision, revisions.get(policy), how);
      if ('notReplayable' in replayed) {
        const reason = replayed.notReplayable;
        notReplayable[reason] = (notReplayable[reason] ?? 0) + 1;
        continue;
      }
      if (replayed.isByOtherEngine) byOtherEngine += 1;
      if (replayed.differences.length === 0) same += 1;
      different.push(...replayed.differences);
    }
  }
  return { decisions, same, byOtherEngine, different, notReplayable };
};
