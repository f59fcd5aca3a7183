import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { Store } from '../store/store.ts';
import { newDecisionId } from './decision-id.ts';
import { type UnreadRequest, failedDraft, refusedDraft } from './failed-draft.ts';
import type { SponsorshipRequest } from './request-record.ts';

interface RecordingContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** If the connection to the database is lost during a commit, it is unknown whether the decision is stored. */
const mayBeStored = (error: unknown): boolean => error instanceof EngineError && error.code === 'STORE_UNAVAILABLE';

/** Runs the steps that lead to the decision with this id. If they throw an error, stores the error, then throws it. */
export const withFailureRecord = <T>(
  { store, clock, entropy }: RecordingContext,
  request: SponsorshipRequest,
  run: (decisionId: string) => Promise<T>,
): Promise<T> => {
  const decisionId = newDecisionId(clock.now(), entropy);
  return run(decisionId).catch(async (error: unknown) => {
    if (!mayBeStored(error)) await store.appendDecision(failedDraft(decisionId, request, clock.now(), error));
    throw error;
  });
};

/** Stores that a request for a known DApp was refused before it was parsed, so that the operator sees it, too. */
export const recordRefusal = async (
  { store, clock, entropy }: RecordingContext,
  request: UnreadRequest,
  error: unknown,
): Promise<void> => {
  const now = clock.now();
  await store.appendDecision(refusedDraft(newDecisionId(now, entropy), now, request, error));
};
