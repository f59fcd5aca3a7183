import { z } from 'zod';
import { hexQuantity } from '../../../shared/schema/quantity.ts';
import { hexOf } from '../dialects/paymaster-fields.ts';
import type { RpcMethod } from '../method.ts';

/**
 * The balance that pays for the DApp (its tank, or the contract's deposit), and the reserved part of it, in wei as hex.
 */
export const pmPaymasterBalance: RpcMethod = {
  method: 'pm_paymasterBalance',
  summary: 'The gas tank balance of the DApp, and the part of it that is reserved',
  params: [],
  result: z.strictObject({
    balance: hexQuantity.describe('Wei in the gas tank or the deposit of the contract'),
    promised: hexQuantity.describe('Wei reserved'),
  }),
  example: { params: [], result: { balance: '0xde0b6b3a7640000', promised: '0x0' } },
  errors: ['PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE', 'VAULT_LOCKED', 'VERSION_NOT_SUPPORTED', 'CONTRACT_MISMATCH'],
  async handle(_params, { service, chainId, apiKey }) {
    const { balanceWei, reservedWei } = await service.run('sponsorship.balance', { chainId, apiKey });
    return { balance: hexOf(balanceWei), promised: hexOf(reservedWei) };
  },
};
