import { z } from 'zod';
import { address, sameAddress } from './hex.ts';

const EXPIRY_FAULT = 'must be a whole number of seconds from 30 to 86400';

/** Who pays; SPONSORSHIP is another spelling of SPONSORED. */
const mode = z.enum(['SPONSORED', 'SPONSORSHIP', 'ERC20']).transform((name) => (name === 'ERC20' ? name : 'SPONSORED'));

/** Sponsorship options, `params[1]` of Biconomy's dialect (service-interface 2.6). */
export const sponsorshipOptions = z.strictObject({
  mode,
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

/** Options of `pm_getFeeQuoteOrData`: without a mode it is sponsored if the rules allow, else the tokens are quoted. */
export const feeQuoteOptions = sponsorshipOptions.partial({ mode: true });

/** Options of a quote, which is in tokens always. */
export const quoteOptions = sponsorshipOptions.omit({ mode: true });

/** The options of Biconomy's dialect, and Pimlico's names for some of them. */
const contextFields = feeQuoteOptions
  .extend({
    token: address.nullish(),
    validForSeconds: sponsorshipOptions.shape.expiryDuration.unwrap().nullish(),
    meta: z.record(z.string(), z.unknown()).nullish(),
    // Accepted because clients send it: it is the API key that tells whose rules decide.
    sponsorshipPolicyId: z.string().max(100).nullish(),
  })
  .superRefine(({ token, mode, tokenInfo }, context) => {
    const contradicts = (message: string): void => context.addIssue({ code: 'custom', path: ['token'], message });
    if (!token) return;
    if (mode === 'SPONSORED') {
      contradicts('should not exist beside mode SPONSORED: drop token to be sponsored, or mode to pay in the token');
    }
    const { feeTokenAddress } = tokenInfo ?? {};
    if (feeTokenAddress && !sameAddress(feeTokenAddress, token)) {
      contradicts('should not differ from tokenInfo.feeTokenAddress: drop one of them');
    }
  });

const contextOptions = (context: z.output<typeof contextFields>): SponsorshipOptions => {
  const { token, validForSeconds, meta, sponsorshipPolicyId: _, ...options } = context;
  const feeTokenAddress = options.tokenInfo?.feeTokenAddress ?? token;
  const webhookData = options.sponsorshipInfo?.webhookData ?? meta;
  return {
    ...options,
    mode: options.mode ?? (token ? 'ERC20' : 'SPONSORED'),
    expiryDuration: validForSeconds ?? options.expiryDuration,
    ...(feeTokenAddress && { tokenInfo: { ...options.tokenInfo, feeTokenAddress } }),
    ...(webhookData && { sponsorshipInfo: { ...options.sponsorshipInfo, webhookData } }),
  };
};

/** The context of ERC-7677 and of Pimlico's dialect, read as options: sponsored unless it says otherwise. */
export const paymasterContext = z.preprocess((context) => context ?? {}, contextFields.transform(contextOptions));
