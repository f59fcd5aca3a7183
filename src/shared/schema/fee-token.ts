import { z } from 'zod';
import { decimalToUnits, positiveDecimal } from './decimal.ts';
import { address } from './hex.ts';
import { chainId, httpUrl, name } from './text.ts';

const PREMIUM_ERROR = 'must be a percentage from 0 to 100 with at most 4 decimals';
const RATE_ERROR = 'must be a positive number of whole tokens per native coin';

/** Percent added to the cost, as decimal digits. Biconomy's contract accepts at most 100, in steps of 0.0001. */
export const premium = z
  .string(PREMIUM_ERROR)
  .regex(/^(?:100(?:\.0{1,4})?|[1-9]?\d(?:\.\d{1,4})?)$/, PREMIUM_ERROR)
  .transform((digits) => (digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits));

const tokensPerCoin = z.string(RATE_ERROR).transform((text, context): string => {
  const digits = positiveDecimal(text);
  if (digits !== undefined) return digits;
  context.addIssue({ code: 'custom', message: RATE_ERROR });
  return z.NEVER;
});

/**
 * Seconds after which a feed's answer is too old. The longest common heartbeat of Chainlink's USD feeds is 24 h. The
 * default adds an hour, because chains may be busy.
 */
export const feedMaxAge = { least: 60, most: 604_800, byDefault: 90_000 } as const;
const AGE_ERROR = `must be a whole number of seconds from ${feedMaxAge.least} to ${feedMaxAge.most}`;

export const feedMaxAgeSeconds = z
  .int(AGE_ERROR)
  .min(feedMaxAge.least, AGE_ERROR)
  .max(feedMaxAge.most, AGE_ERROR)
  .default(feedMaxAge.byDefault)
  .describe('Seconds after which an answer of a feed is too old');

const feeTokenRate = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('static'),
    tokensPerCoin: tokensPerCoin.describe('Whole tokens for one native coin, in decimal digits'),
  }),
  z.strictObject({
    source: z.literal('chainlink'),
    nativeFeed: address.describe('Chainlink feed of the native coin in USD'),
    tokenFeed: address.describe('Chainlink feed of the token in USD'),
    maxAge: feedMaxAgeSeconds,
  }),
]);

/** No token in use has more decimals. */
export const mostDecimals = 36;
/**
 * Maximum exchange rate, in token units per coin. It is so low that even a cost a million times higher than usual fits
 * into the contracts' 256 bits.
 */
export const MAX_EXCHANGE_RATE = 2n ** 128n;

const DECIMALS_ERROR = `must be a whole number from 0 to ${mostDecimals}`;

export const feeTokenDefinition = z
  .strictObject({
    chainId: chainId.positive('must be a positive number'),
    address,
    symbol: name,
    decimals: z.int(DECIMALS_ERROR).min(0, DECIMALS_ERROR).max(mostDecimals, DECIMALS_ERROR),
    premium: premium.describe('Percent added to the cost, in decimal digits'),
    rate: feeTokenRate,
    preFund: z
      .boolean()
      .default(true)
      .describe('Take the maximum before the operation runs, and refund the unused part'),
    logoUrl: httpUrl.nullable().default(null),
  })
  .superRefine(({ rate, decimals }, context) => {
    if (rate.source !== 'static') return;
    try {
      const units = decimalToUnits(rate.tokensPerCoin, decimals);
      if (units <= MAX_EXCHANGE_RATE) return;
      const path = ['rate', 'tokensPerCoin'];
      context.addIssue({ code: 'custom', message: 'is more than any token is worth', path });
    } catch {
      const message = `must have at most ${decimals} decimals, as the token has`;
      context.addIssue({ code: 'custom', message, path: ['rate', 'tokensPerCoin'] });
    }
  });

export type FeeToken = z.output<typeof feeTokenDefinition>;

/** What an operation would cost in one token, in the format of Biconomy's clients (`PaymasterFeeQuote`). */
export const feeQuote = z.strictObject({
  symbol: z.string(),
  decimal: z.number().describe("The token's decimals"),
  tokenAddress: address,
  maxGasFee: z.number().describe('The most the user can be charged, in whole tokens, premium included'),
  maxUnits: z.string().describe("The same exactly, in the token's smallest units, decimal digits"),
  maxGasFeeUSD: z.number().optional().describe('The same in USD; absent where the rate has no USD price'),
  exchangeRate: z.string().describe("The token's smallest units for one native coin, without the premium"),
  premiumPercentage: z.string(),
  validUntil: z.number().describe('Unix seconds'),
  logoUrl: z.string().optional(),
});

export type FeeQuote = z.output<typeof feeQuote>;
