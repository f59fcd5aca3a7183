import { procedures } from '../../api/index.ts';
import { operation } from './operation.ts';

const path = '/smart-contract';
const dapp = { paymasterId: true } as const;

/** Behaviour 8.7. */
export const contractOperations = [
  operation({
    method: 'post',
    path,
    summary: 'Whitelist a smart contract',
    message: 'Smart contract registered successfully',
    body: procedures['contracts.create'].input.omit(dapp),
    async run({ service, dapp: { paymasterId }, body }) {
      await service.run('contracts.create', { paymasterId, ...body });
    },
  }),
  operation({
    method: 'get',
    path,
    summary: 'List smart contracts',
    message: 'Smart contract list fetched',
    data: procedures['contracts.list'].output,
    run: ({ service, dapp: { paymasterId } }) => service.run('contracts.list', { paymasterId }),
  }),
  operation({
    method: 'patch',
    path,
    summary: 'Update whitelisted methods',
    message: 'Smart contract updated',
    errors: { unknownApiKey: 'SMART_CONTRACT_NOT_FOUND' },
    body: procedures['contracts.update'].input.omit(dapp),
    data: procedures['contracts.update'].output,
    statuses: [404],
    run: ({ service, dapp: { paymasterId }, body }) => service.run('contracts.update', { paymasterId, ...body }),
  }),
  operation({
    method: 'delete',
    path,
    summary: 'Delete a smart contract',
    message: 'Smart contract deleted',
    errors: { unknownApiKey: 'SMART_CONTRACT_NOT_FOUND' },
    body: procedures['contracts.delete'].input.omit(dapp),
    statuses: [404],
    async run({ service, dapp: { paymasterId }, body }) {
      await service.run('contracts.delete', { paymasterId, ...body });
    },
  }),
];
