import type { ReviewInfo } from '../../api/system.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import { createDecisionFeed } from '../events/decision-feed.ts';
import { chainViews } from '../service/chains.ts';
import { decisionHandlers } from '../service/decisions.ts';
import { inspectHandlers } from '../service/inspect.ts';
import type { ConsoleService } from '../service/index.ts';
import type { Handlers, NamesOf } from '../service/service.ts';
import type { Store } from '../store/store.ts';
import { version } from '../base/version.ts';
import { someProcedures } from './some-procedures.ts';

export interface ReviewSource {
  /** Decisions and DApps. Used only for reading, and closed with the review. */
  readonly store: Store;
  readonly about: ReviewInfo;
}

type ReviewProcedure = NamesOf<'decisions'> | NamesOf<'inspect'> | 'chains.list' | 'paymasters.list' | 'system.info';

/** Serves a review with the same code as the engine. Refuses all other procedures with `REVIEW_READ_ONLY`. */
export const createReviewService = (
  { store, about }: ReviewSource,
  { clock, address }: { clock: Clock; address: () => string | null },
): ConsoleService => {
  const { follow } = createDecisionFeed(store);
  const handlers: Handlers<ReviewProcedure> = {
    ...decisionHandlers({ store, clock }, follow, about),
    ...inspectHandlers({ store, clock }),
    'chains.list': () => chainViews(store),
    // Someone who reviews decisions must not see API keys.
    'paymasters.list': async () => (await store.listDapps()).map((dapp) => ({ ...dapp, apiKey: '', paused: null })),
    'system.info': async () => ({
      version,
      url: address(),
      vault: 'absent',
      paymasters: (await store.listDapps()).length,
      decisions: await store.countDecisions(),
      paused: null,
      pausedDapps: [],
      review: about,
    }),
  };
  return { ...someProcedures(handlers, () => new EngineError('REVIEW_READ_ONLY')), follow };
};
