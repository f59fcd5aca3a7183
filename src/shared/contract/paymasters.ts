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
  allowedOrigins: z.array(z.string()).readonly(),
  createdAt: z.number(),
});

/** `*`, or scheme, host and port as in the Origin header; extensions and apps have schemes of their own. */
const origin = z
  .string()
  .max(300)
  .regex(
    /^(?:[*]|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*\p{Cc}\p{Cs}]+\/?)$/iu,
    'must be * or an origin such as https://app.example, without a path',
  );

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
  'paymasters.setOrigins': procedure({
    summary: 'Say from which origins browsers may use the API key; programs send none and are not bound',
    input: z.strictObject({ paymasterId: id, origins: z.array(origin).max(100) }),
    output: paymaster,
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'paymasters.corsOrigin': procedure({
    summary: 'Tell what Access-Control-Allow-Origin says to a browser; null if it may not use the API key from there',
    input: z.strictObject({ apiKey: z.string(), origin: z.string() }),
    output: z.string().nullable(),
    errors: [],
  }),
};
