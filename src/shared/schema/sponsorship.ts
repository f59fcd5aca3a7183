import { z } from 'zod';
import { address, hex } from './hex.ts';
import { quantity } from './quantity.ts';

const EXPIRY_FAULT = 'must be a whole number of seconds from 30 to 86400';

/** Some clients send `0x` or null for a value that is yet to be estimated. */
const absentAs0x = (value: unknown): unknown => (value === '0x' || value === null ? undefined : value);
const optionalQuantity = z.preprocess(absentAs0x, quantity.optional());

/**
 * The partial user operation of EntryPoint v0.6 as Biconomy's clients send it (service-interface 2.5).
 * `paymasterAndData` is accepted because clients send their placeholder, and is not used.
 */
export const partialUserOperationV06 = z.strictObject({
  sender: address,
  nonce: quantity,
  initCode: hex.default('0x'),
  callData: hex,
  callGasLimit: optionalQuantity,
  verificationGasLimit: optionalQuantity,
  preVerificationGas: optionalQuantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  signature: hex.default('0x'),
  paymasterAndData: hex.optional(),
});

/** A partial user operation after reading: quantities as bigint, absent gas values undefined. */
export type PartialUserOperationV06 = z.output<typeof partialUserOperationV06>;

/** Sponsorship options, `params[1]` of Biconomy's dialect (service-interface 2.6). */
export const sponsorshipOptions = z.strictObject({
  mode: z.enum(['SPONSORED', 'SPONSORSHIP', 'ERC20']),
  calculateGasLimits: z.boolean().default(false),
  expiryDuration: z.number(EXPIRY_FAULT).int(EXPIRY_FAULT).min(30, EXPIRY_FAULT).max(86_400, EXPIRY_FAULT).default(300),
  sponsorshipInfo: z
    .strictObject({
      webhookData: z.record(z.string(), z.unknown()).nullish(),
      smartAccountInfo: z.strictObject({ name: z.string().max(100), version: z.string().max(100) }).nullish(),
    })
    .nullish(),
  tokenInfo: z
    .strictObject({
      feeTokenAddress: address.nullish(),
      preferredToken: address.nullish(),
      tokenList: z.array(address).max(100).nullish(),
    })
    .nullish(),
  skipPatchCallData: z.boolean().optional().describe('Accepted because older clients send it; it has no meaning here'),
});

/** Sponsorship options after reading, defaults filled in. */
export type SponsorshipOptions = z.output<typeof sponsorshipOptions>;
