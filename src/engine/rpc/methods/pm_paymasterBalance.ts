import { hexOf } from '../dialects/paymaster-fields.ts';
import type { RpcMethod } from '../method.ts';
import { atMost } from '../params.ts';

/** What pays for the DApp: its tank, or the contract's deposit, and how much of it is promised already. Hex wei. */
export const pmPaymasterBalance: RpcMethod = {
  method: 'pm_paymasterBalance',
  async handle(params, { service, chainId, apiKey }) {
    atMost(params, 0);
    const { balanceWei, promisedWei } = await service.run('sponsorship.balance', { chainId, apiKey });
    return { balance: hexOf(balanceWei), promised: hexOf(promisedWei) };
  },
};
