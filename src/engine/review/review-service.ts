import {
  type ProcedureArguments,
  type ProcedureName,
  type ProcedureOutput,
  contract,
} from '../../shared/contract/index.ts';
import type { ReviewInfo } from '../../shared/contract/system.ts';
import { EngineError } from '../../shared/errors.ts';
import { parse } from '../../shared/schema/parse.ts';
import type { Clock } from '../clock.ts';
import { createDecisionFeed } from '../events/decision-feed.ts';
import { chainViews } from '../service/chains.ts';
import { decisionHandlers } from '../service/decisions.ts';
import type { ConsoleService } from '../service/index.ts';
import type { Handlers, NamesOf } from '../service/service.ts';
import type { Store } from '../store/store.ts';
import { version } from '../version.ts';

/** What a review is made of, whatever kind of file it was. */
export interface ReviewSource {
  /** Its decisions and DApps. It is only read, and closed with the review. */
  readonly store: Store;
  readonly about: ReviewInfo;
}

/** The procedures that read decisions and what belongs to them. */
type Reviewed = NamesOf<'decisions'> | 'chains.list' | 'paymasters.list' | 'system.info';

/** What is asked for has been read by its procedure's schema. */
type Run = (args: unknown) => Promise<unknown>;

/** The procedures that show a review, by the code of the desk's own; every other is refused with `REVIEW_READ_ONLY`. */
export const createReviewService = (
  { store, about }: ReviewSource,
  { clock, address }: { clock: Clock; address: () => string | null },
): ConsoleService => {
  const { subscribe } = createDecisionFeed(store);
  const handlers: Handlers<Reviewed> = {
    ...decisionHandlers({ store, clock }, subscribe, about),
    'chains.list': () => chainViews(store),
    // A key of a DApp is no business of who reviews its decisions.
    'paymasters.list': async () => (await store.listPaymasters()).map((dapp) => ({ ...dapp, apiKey: '' })),
    'system.info': async () => ({
      version,
      url: address(),
      vault: 'absent',
      paymasters: (await store.listPaymasters()).length,
      decisions: await store.countDecisions(),
      paused: null,
      review: about,
    }),
  };
  const reviewed = new Map<string, Run>(Object.entries(handlers) as [string, Run][]);
  const run = async <Name extends ProcedureName>(
    name: Name,
    args: ProcedureArguments<Name>,
  ): Promise<ProcedureOutput<Name>> => {
    const handler = reviewed.get(name);
    if (handler === undefined) throw new EngineError('REVIEW_READ_ONLY');
    return (await handler(args)) as ProcedureOutput<Name>;
  };
  return {
    run,
    subscribe,
    async call(name, input) {
      // First: what is refused anyway needs no schema.
      if (!reviewed.has(name)) throw new EngineError('REVIEW_READ_ONLY');
      return run(name, parse(contract[name].input, input) as ProcedureArguments<typeof name>);
    },
  };
};
