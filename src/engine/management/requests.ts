import { procedures } from '../../api/index.ts';
import { operation } from './operation.ts';

const path = '/rpc-request';

const numberOf = (value: unknown): number | undefined => (value === undefined ? undefined : Number(value));

/** Behaviour 8.10. */
export const requestOperations = [
  operation({
    method: 'get',
    path,
    summary: 'List the last JSON-RPC requests of the DApp, newest first, also those that were refused',
    message: 'Requests fetched',
    data: procedures['requests.list'].output,
    query: ['after', 'limit'],
    run: ({ service, dapp: { paymasterId }, query }) =>
      service.call('requests.list', { paymasterId, after: numberOf(query['after']), limit: numberOf(query['limit']) }),
  }),
  operation({
    method: 'get',
    path: `${path}/errors`,
    summary: 'Count the denials and errors of the DApp since the service started, by cause',
    message: 'Errors fetched',
    data: procedures['requests.errors'].output,
    run: ({ service, dapp: { paymasterId } }) => service.run('requests.errors', { paymasterId }),
  }),
  operation({
    method: 'get',
    path: `${path}/:seq`,
    summary: 'Show one of the last requests of the DApp with its answer, without secrets',
    message: 'Request fetched',
    data: procedures['requests.show'].output,
    statuses: [404],
    run: ({ service, dapp: { paymasterId }, path: { seq = '' } }) =>
      service.call('requests.show', { paymasterId, seq: Number(seq) }),
  }),
];
