import { type CoinPriceSource, coinPriceSource, sanePrice } from '../../../../shared/schema/coin-price.ts';
import { decimalToWei } from '../../../../shared/schema/decimal.ts';
import { feedMaxAge } from '../../../../shared/schema/fee-token.ts';
import { shownWorth } from '../../../../shared/words/amount.ts';
import type { CoinPrice } from '../../desk/coin-prices.ts';
import { exactTime } from '../../ui/time.ts';

export interface CoinPriceForm {
  source: CoinPriceSource['source'] | 'none';
  usd: string;
  nativeFeed: string;
  /** In seconds. */
  maxAge: number | null;
}

export const coinPriceForm = (price: CoinPriceSource | null): CoinPriceForm => ({
  source: 'none',
  usd: '',
  nativeFeed: '',
  maxAge: feedMaxAge.byDefault,
  ...price,
});

/** The price source that was entered: null for none; undefined if it is invalid. */
export const typedCoinPrice = ({
  source,
  usd,
  nativeFeed,
  maxAge,
}: CoinPriceForm): CoinPriceSource | null | undefined => {
  if (source === 'none') return null;
  const typed = source === 'static' ? { source, usd: usd.trim() } : { source, nativeFeed: nativeFeed.trim(), maxAge };
  return coinPriceSource.safeParse(typed).data;
};

/** The error in the dollars that were typed, as a sentence; empty without an error. */
export const coinPriceError = (form: CoinPriceForm): string =>
  form.source !== 'static' || form.usd.trim() === '' || typedCoinPrice(form) !== undefined
    ? ''
    : `It must be a number of US dollars between ${sanePrice.words}, with at most 18 decimals.`;

/** The coin's price as a sentence; empty if it is unknown. */
export const coinPriceWords = ({ usd, updatedAt }: CoinPrice, coin: string): string => {
  if (usd === null) return '';
  const price = `One ${coin} is ${shownWorth(decimalToWei('1'), usd)}`;
  return updatedAt === null ? `${price}.` : `${price}, as the feed answered at ${exactTime(updatedAt * 1000)}.`;
};

const SAYS: Readonly<Record<CoinPriceForm['source'], string>> = {
  none: 'Limits in US dollars deny every operation on this chain, and no amounts are shown in dollars.',
  static: 'It stays until you change it. Limits in US dollars use it, and amounts of the coin are shown in dollars.',
  chainlink:
    'Gasdesk reads the feed when an operation is decided. If the answer is too old, the price is unknown, and limits in US dollars deny operations.',
};

export const coinPriceSentence = ({ source }: CoinPriceForm): string => SAYS[source];
