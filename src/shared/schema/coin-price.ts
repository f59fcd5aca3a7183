import { z } from 'zod';
import { decimalToUnits } from './decimal.ts';
import { exactPositiveInput } from './exact-positive.ts';
import { feedMaxAgeSeconds } from './fee-token.ts';
import { address } from './hex.ts';

/**
 * Range of plausible prices of a native coin in US dollars. A price outside of it is a typing error or comes from a
 * broken feed.
 */
export const sanePrice = { least: '0.0001', most: '10000000', words: '0.0001 and 10,000,000' } as const;

const MAX_DECIMALS = 18;
const USD_ERROR = `must be a number of US dollars between ${sanePrice.words}, with at most ${MAX_DECIMALS} decimals`;

const isSane = (usd: string): boolean => {
  if ((usd.split('.')[1] ?? '').length > MAX_DECIMALS) return false;
  const [price, least, most] = [usd, sanePrice.least, sanePrice.most].map((one) => decimalToUnits(one, MAX_DECIMALS));
  return price !== undefined && least !== undefined && most !== undefined && price >= least && price <= most;
};

export const coinPriceSource = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('static'),
    usd: exactPositiveInput.refine(isSane, USD_ERROR).describe('US dollars for one native coin'),
  }),
  z.strictObject({
    source: z.literal('chainlink'),
    nativeFeed: address.describe('Chainlink feed of the native coin in USD'),
    maxAge: feedMaxAgeSeconds,
  }),
]);

export type CoinPriceSource = z.output<typeof coinPriceSource>;
