import type { Clock, Entropy } from '../clock.ts';
import type { Store } from '../store/store.ts';
import type { Progress, SponsorshipRequest } from './decision-draft.ts';
import { newDecisionId } from './decision-id.ts';
import { type UnreadRequest, failedDraft, refusedDraft } from './failed-draft.ts';

/** What recording works with. */
interface RecordingContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** Runs what may fail on the way to a decision. A failure is stored, and thrown. */
export const recordingFailure = async <T>(
  { store, clock, entropy }: RecordingContext,
  request: SponsorshipRequest,
  run: (progress: Progress) => Promise<T>,
): Promise<T> => {
  const decisionId = newDecisionId(clock.now(), entropy);
  const progress: Progress = { decisionId, request, steps: [] };
  try {
    return await run(progress);
  } catch (error) {
    await store.appendDecision(failedDraft(progress, clock.now(), error));
    throw error;
  }
};

/** Stores that a request of a known DApp was refused unread, so that the operator sees it too. */
export const recordRefusal = async (
  { store, clock, entropy }: RecordingContext,
  request: UnreadRequest,
  error: unknown,
): Promise<void> => {
  const now = clock.now();
  await store.appendDecision(refusedDraft(newDecisionId(now, entropy), now, request, error));
};
