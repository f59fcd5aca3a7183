import { z } from 'zod';
import { address } from '../schema/hex.ts';
import { chainId, id, name } from '../schema/text.ts';
import { procedure } from './procedure.ts';

const paymaster = z.strictObject({
  paymasterId: z.string(),
  accountId: z.string(),
  name: z.string(),
  chainId: z.number(),
  apiKey: z.string(),
  version: z.string(),
  fundingWallet: z.string().nullable(),
  createdAt: z.number(),
});

/** Paymasters (DApps) and their funding wallets. */
export const paymasterProcedures = {
  'paymasters.create': procedure({
    summary: 'Register a DApp',
    input: z.strictObject({
      accountId: id,
      name,
      type: z.literal('HYBRID'),
      chainId,
      version: z.string(),
    }),
    output: paymaster,
    errors: ['ACCOUNT_NOT_FOUND', 'CHAIN_NOT_SUPPORTED', 'VERSION_NOT_SUPPORTED', 'PAYMASTER_NAME_EXISTS'],
  }),
  'paymasters.list': procedure({
    summary: 'List DApps',
    input: z.strictObject({ accountId: id.optional() }),
    output: z.array(paymaster),
    errors: ['ACCOUNT_NOT_FOUND'],
  }),
  'paymasters.fundingMessage': procedure({
    summary: 'Issue the message that the funding wallet has to sign; it replaces an earlier one',
    input: z.strictObject({ paymasterId: id }),
    output: z.strictObject({ paymasterId: z.string(), fundingMessage: z.string() }),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'paymasters.setFundingWallet': procedure({
    summary: 'Change the funding wallet, proved by its signature of the newest funding message',
    input: z.strictObject({
      paymasterId: id,
      type: z.literal('paymasterFundingId'),
      signature: z.string(),
      address,
    }),
    output: paymaster,
    errors: ['PAYMASTER_NOT_FOUND', 'INVALID_SIGNATURE'],
  }),
};
