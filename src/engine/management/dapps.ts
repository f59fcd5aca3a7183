import { z } from 'zod';
import { procedures } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Dapp } from '../service/access.ts';
import { type OperationCaller, type OperationInput, operation } from './operation.ts';

const path = '/paymaster';
const dapp = procedures['paymasters.create'].output.pick({ name: true, chainId: true, apiKey: true });
const userErrors = { unknownAuthToken: 'USER_NOT_FOUND', unknownApiKey: 'USER_NOT_FOUND' } as const;

const view = ({ name, chainId, apiKey }: Pick<Dapp, 'name' | 'chainId' | 'apiKey'>) => ({ name, chainId, apiKey });

/** The apiKey identifies the DApp. If a request also contains a paymaster id, the id must belong to the same DApp. */
const requireSame = (dapp: Dapp, id: string | undefined): void => {
  if (id !== undefined && id !== dapp.paymasterId) throw new EngineError('PAYMASTER_NOT_FOUND');
};

const fundingMessage = async ({
  service,
  dapp,
  path: { paymasterId },
}: OperationInput<unknown> & OperationCaller<'dapp'>) => {
  requireSame(dapp, paymasterId);
  return service.run('paymasters.fundingMessage', { paymasterId: dapp.paymasterId });
};

/** DApps and their funding wallets (behaviour 8.5, behaviour 8.6). */
export const dappOperations = [
  operation({
    method: 'get',
    path,
    summary: 'List paymasters',
    message: 'DApp list fetched',
    access: 'account',
    errors: { missingAuthToken: 'AUTH_TOKEN_REQUIRED' },
    data: z.array(dapp),
    async run({ service, accountId, onlyDapp }) {
      const dapps = await service.run('paymasters.list', { accountId });
      return dapps.filter(({ paymasterId }) => onlyDapp === null || paymasterId === onlyDapp).map(view);
    },
  }),
  operation({
    method: 'post',
    path,
    summary: 'Create paymaster',
    message: 'DApp registered successfully',
    access: 'account',
    errors: { missingAuthToken: 'AUTH_TOKEN_REQUIRED' },
    body: procedures['paymasters.create'].input.omit({ accountId: true }),
    data: dapp,
    async run({ service, accountId, body }) {
      return view(await service.run('paymasters.create', { accountId, ...body }));
    },
  }),
  operation({
    method: 'patch',
    path,
    summary: 'Update funding wallet, step 3: send the signed message',
    message: 'Paymaster updated successfully',
    errors: userErrors,
    body: procedures['paymasters.setFundingWallet'].input,
    data: dapp.extend({ paymasterId: z.string() }),
    statuses: [404],
    async run({ service, dapp, body }) {
      requireSame(dapp, body.paymasterId);
      const updated = await service.run('paymasters.setFundingWallet', body);
      return { ...view(updated), paymasterId: updated.paymasterId };
    },
  }),
  ...['/funding-message', '/funding-message/:paymasterId'].map((messagePath) =>
    operation({
      method: 'get',
      path: messagePath,
      summary: 'Update funding wallet, step 1: get the message to sign',
      message: 'Funding message sent',
      // The new message replaces an earlier funding message.
      changes: true,
      errors: userErrors,
      data: procedures['paymasters.fundingMessage'].output,
      statuses: [404],
      run: fundingMessage,
    }),
  ),
];
