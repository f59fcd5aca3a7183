import { EngineError } from '../../shared/errors.ts';
import { type Address, addressKey } from '../../shared/schema/hex.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Senders are stored in lower case. */
const withSenderKey = <Filter extends { sender?: Address | undefined }>(filter: Filter): Filter =>
  filter.sender === undefined ? filter : { ...filter, sender: addressKey(filter.sender) };

/** Decisions already made. */
export const decisionHandlers = ({ store }: ServiceContext): Handlers<NamesOf<'decisions'>> => ({
  'decisions.list': (filter) => store.listDecisions(withSenderKey(filter)),
  'decisions.page': (filter) => store.pageDecisions(withSenderKey(filter)),
  'decisions.show': async ({ decisionId }) => {
    const decision = await store.findDecision(decisionId);
    if (decision === undefined) throw new EngineError('DECISION_NOT_FOUND');
    return decision;
  },
});
