import { EngineError } from '../../shared/errors.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Decisions already made. */
export const decisionHandlers = ({ store }: ServiceContext): Handlers<NamesOf<'decisions'>> => ({
  'decisions.list': (filter) => store.listDecisions(filter),
  'decisions.show': async ({ decisionId }) => {
    const decision = await store.findDecision(decisionId);
    if (decision === undefined) throw new EngineError('DECISION_NOT_FOUND');
    return decision;
  },
});
