import { procedures } from '../../api/index.ts';
import { operation } from './operation.ts';

const path = '/api-key';
const dapp = { paymasterId: true } as const;

/** Behaviour 8.9. */
export const apiKeyOperations = [
  operation({
    method: 'post',
    path,
    summary: 'Create another API key for the DApp; the others stay valid',
    message: 'API key created',
    body: procedures['apiKeys.create'].input.omit(dapp),
    data: procedures['apiKeys.create'].output,
    run: ({ service, dapp: { paymasterId }, body }) => service.run('apiKeys.create', { paymasterId, ...body }),
  }),
  operation({
    method: 'get',
    path,
    summary: 'List the API keys of the DApp, including revoked keys',
    message: 'API key list fetched',
    data: procedures['apiKeys.list'].output,
    run: ({ service, dapp: { paymasterId } }) => service.run('apiKeys.list', { paymasterId }),
  }),
  operation({
    method: 'delete',
    path,
    summary: 'Revoke an API key of the DApp, unless it is the only one',
    message: 'API key revoked',
    body: procedures['apiKeys.revoke'].input.omit(dapp),
    statuses: [404],
    async run({ service, dapp: { paymasterId }, body }) {
      await service.run('apiKeys.revoke', { paymasterId, ...body });
    },
  }),
];
