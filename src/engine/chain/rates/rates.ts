import type { CoinPrice } from '../../../core/facts/facts.ts';
import type { CoinPriceSource } from '../../../shared/schema/coin-price.ts';
import type { FeeToken } from '../../../shared/schema/fee-token.ts';
import type { Clock } from '../../base/clock.ts';
import type { ChainAccess } from '../chain-access.ts';
import { chainlinkRate, coinPriceOf } from './chainlink.ts';
import type { TokenRate } from './rate.ts';
import { staticRate } from './static.ts';

export interface Rates {
  /**
   * @throws EngineError `CHAIN_UNREACHABLE` with the feed's error, `VAULT_LOCKED` or `PAYMASTER_NOT_READY` if the
   *   chain's URL cannot be used
   */
  rateOf(token: FeeToken): Promise<TokenRate>;
  /** The native coin's price in US dollars, or why it is unknown. */
  coinPrice(chainId: number, source: CoinPriceSource): Promise<CoinPrice>;
  /** The same, without waiting. If the price is not cached, returns undefined and starts reading it. */
  coinPriceNow(chainId: number, source: CoinPriceSource): CoinPrice | undefined;
  /** Clears the cache, because the operator has changed a token. */
  forget(): void;
}

/**
 * How long rates are cached. Because of the cache, a quote and the operation that follows seconds later get the same
 * price, and many operations share one read.
 */
const CACHED_MS = 10_000;
/** How long errors are cached, so that a feed that does not respond cannot delay every operation. */
const ERROR_CACHED_MS = 2_000;

interface CacheEntry {
  until: number;
  readonly value: Promise<unknown>;
}

type SourceOf<Source extends CoinPriceSource['source']> = Extract<CoinPriceSource, { source: Source }>;
type ChainlinkSource = SourceOf<'chainlink'>;

const staticPrice = ({ usd }: SourceOf<'static'>): CoinPrice => ({ usd, source: 'static' });

/**
 * Rates from each token's own source. Rates read from the chain are cached for a few seconds. Errors of a coin's feed
 * are cached for a shorter time, errors of fee tokens not at all.
 */
export const createRates = (chains: Pick<ChainAccess, 'rpc'>, clock: Clock): Rates => {
  const cached = new Map<string, CacheEntry>();
  const keeping = <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    const known = cached.get(key);
    if (known !== undefined && clock.monotonic() < known.until) return known.value as Promise<Value>;
    const value = read();
    const entry = { until: clock.monotonic() + CACHED_MS, value };
    cached.set(key, entry);
    value.catch(() => {
      if (cached.get(key) === entry) cached.delete(key);
    });
    return value;
  };
  const prices = new Map<string, CoinPrice>();
  const readPrice = (chainId: number, source: ChainlinkSource): Promise<CoinPrice> => {
    const key = JSON.stringify([chainId, source]);
    return keeping(key, async () => {
      const price = await coinPriceOf(() => chains.rpc(chainId), source, clock.now());
      const entry = cached.get(key);
      if (price.usd === null && entry !== undefined) entry.until = clock.monotonic() + ERROR_CACHED_MS;
      prices.set(key, price);
      return price;
    });
  };
  return {
    async rateOf(token) {
      const { chainId, address, decimals, rate: source } = token;
      if (source.source === 'static') return staticRate(source, decimals);
      const read = async () => chainlinkRate(await chains.rpc(chainId), token, source, clock.now());
      return keeping(JSON.stringify([chainId, address, decimals, source]), read);
    },
    async coinPrice(chainId, source) {
      return source.source === 'static' ? staticPrice(source) : readPrice(chainId, source);
    },
    coinPriceNow(chainId, source) {
      if (source.source === 'static') return staticPrice(source);
      const key = JSON.stringify([chainId, source]);
      const isFresh = clock.monotonic() < (cached.get(key)?.until ?? 0);
      void readPrice(chainId, source);
      return isFresh ? prices.get(key) : undefined;
    },
    forget: () => cached.clear(),
  };
};
