import { EngineError } from '../../shared/errors.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Requests without a valid API key belong to no DApp, so a filter by DApp hides them. */
const sentBy =
  (paymasterId: string | undefined) =>
  (sender: string | null): boolean =>
    paymasterId === undefined || sender === paymasterId;

/** Procedures for the last JSON-RPC requests, which are kept in memory. */
export const requestHandlers = ({ requests }: Pick<ServiceContext, 'requests'>): Handlers<NamesOf<'requests'>> => ({
  'requests.list': async ({ paymasterId, after, limit }) => {
    const { last, requests: rows } = requests.list({ isMeant: sentBy(paymasterId), after, limit });
    return { last, requests: [...rows] };
  },
  'requests.show': async ({ seq, paymasterId }) => {
    const shown = requests.show(seq);
    if (shown === undefined || !sentBy(paymasterId)(shown.paymasterId)) throw new EngineError('REQUEST_NOT_FOUND');
    return shown;
  },
  'requests.errors': async ({ paymasterId }) => [...requests.errors(sentBy(paymasterId))],
});
