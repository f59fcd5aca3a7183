import { z } from 'zod';
import { address } from './hex.ts';

const EXPIRY_FAULT = 'must be a whole number of seconds from 30 to 86400';

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
