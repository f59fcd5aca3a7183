import { z } from 'zod';
import { maxExpiry, origin } from '../core/policy/dapp-settings.ts';
import { address } from '../shared/schema/hex.ts';
import { chainId, id, name } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';
import { pause, pauseReason } from './system.ts';

/** ERC-7677: a data URL, or a URL from which browsers can load the icon. */
const icon = z
  .string()
  .max(20_000)
  .regex(
    /^(?:https:\/\/[^\s]+|data:image\/[a-z0-9.+-]+(?:;[a-z0-9=-]+)*,[^\s]+)$/i,
    'must be an https or data:image URL',
  );

const sponsorAnswer = z.strictObject({
  icon: icon.nullable().describe('Shown next to the name of the DApp'),
  isTold: z.boolean().describe('False: stub data contains neither sponsor nor isFinal'),
});

const paymaster = z.strictObject({
  paymasterId: z.string(),
  accountId: z.string(),
  name: z.string(),
  chainId: z.number(),
  apiKey: z.string().describe('The newest API key that is not revoked'),
  version: z.string(),
  fundingWallet: z.string().nullable(),
  allowedOrigins: z.array(z.string()).readonly(),
  maxExpirySeconds: z.number().describe('seconds: the longest expiryDuration that a request may ask for'),
  tokenMode: z.boolean().describe('Whether users may pay in tokens'),
  sponsor: sponsorAnswer
    .optional()
    .describe('What stub data says about the sponsor; absent: the name, without an icon'),
  createdAt: z.number(),
});

export { maxExpiry };

export const paymasterProcedures = {
  'paymasters.create': procedure({
    summary: 'Register a DApp',
    input: z.strictObject({
      accountId: id,
      name,
      type: z.literal('HYBRID'),
      chainId,
      version: z.string(),
      tokenMode: z
        .boolean()
        .default(false)
        .describe('Whether users may pay in the fee tokens of the chain instead of being sponsored'),
    }),
    output: paymaster,
    errors: ['ACCOUNT_NOT_FOUND', 'CHAIN_NOT_SUPPORTED', 'VERSION_NOT_SUPPORTED', 'PAYMASTER_NAME_EXISTS'],
  }),
  'paymasters.list': procedure({
    summary: 'List DApps',
    input: z.strictObject({ accountId: id.optional() }),
    output: z.array(
      paymaster.extend({ paused: pause.nullable().describe('The pause of this DApp; null while it is not paused') }),
    ),
    errors: ['ACCOUNT_NOT_FOUND'],
  }),
  'paymasters.fundingMessage': procedure({
    summary: 'Issue the message that the funding wallet must sign. It replaces an earlier message',
    input: z.strictObject({ paymasterId: id }),
    output: z.strictObject({ paymasterId: z.string(), fundingMessage: z.string() }),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'paymasters.setFundingWallet': procedure({
    summary: 'Change the funding wallet. Requires its signature of the newest funding message',
    input: z.strictObject({ paymasterId: id, type: z.literal('paymasterFundingId'), signature: z.string(), address }),
    output: paymaster,
    errors: ['PAYMASTER_NOT_FOUND', 'INVALID_SIGNATURE'],
  }),
  'paymasters.setOrigins': procedure({
    summary: 'Set the origins from which browsers may use the API key; programs send no origin and are not restricted',
    input: z.strictObject({ paymasterId: id, origins: z.array(origin).max(100) }),
    output: paymaster,
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'paymasters.rename': procedure({
    summary: 'Change the name of a DApp; its past decisions keep the old one',
    input: z.strictObject({ paymasterId: id, name }),
    output: paymaster,
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NAME_EXISTS'],
  }),
  'paymasters.replaceKey': procedure({
    summary: 'Create a new API key for a DApp. All its old keys are refused at once',
    input: z.strictObject({ paymasterId: id }),
    output: paymaster,
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'paymasters.setSponsor': procedure({
    summary:
      'Set what stub data says about the sponsor (ERC-7677). Some wallets mistake it for fields of the operation',
    input: sponsorAnswer.extend({ paymasterId: id }),
    output: paymaster,
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'paymasters.setMaxExpiry': procedure({
    summary:
      'Set the longest expiryDuration that a request may have. An operation can reserve a part of the gas tank for that long',
    input: z.strictObject({ paymasterId: id, seconds: z.int().min(maxExpiry.least).max(maxExpiry.most) }),
    output: paymaster,
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'paymasters.setTokenMode': procedure({
    summary: 'Set whether users of a DApp may pay in the fee tokens of the chain instead of being sponsored',
    input: z.strictObject({ paymasterId: id, tokenMode: z.boolean() }),
    output: paymaster,
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'paymasters.pause': procedure({
    summary: 'Pause one DApp: Gasdesk signs nothing for it until it is resumed. An existing pause keeps its start time',
    input: z.strictObject({ paymasterId: id, reason: pauseReason.optional() }),
    output: pause,
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'paymasters.resume': procedure({
    summary: 'End the pause of one DApp; a pause of all sponsorship continues',
    input: z.strictObject({ paymasterId: id }),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'paymasters.corsOrigin': procedure({
    summary: 'Show the Access-Control-Allow-Origin for an origin; null if browsers may not use the API key from there',
    input: z.strictObject({ apiKey: z.string(), origin: z.string() }),
    output: z.string().nullable(),
  }),
};
