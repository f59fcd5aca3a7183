import type { CoinPrice } from '../../../core/facts.ts';
import type { CoinPriceSource } from '../../../shared/schema/coin-price.ts';
import type { FeeToken } from '../../../shared/schema/fee-token.ts';
import type { Clock } from '../../base/clock.ts';
import type { ChainAccess } from '../chain-access.ts';
import { chainlinkRate, coinPriceOf } from './chainlink.ts';
import type { TokenRate } from './rate.ts';
import { staticRate } from './static.ts';

/** What native coins and fee tokens are worth. */
export interface Rates {
  /**
   * @throws EngineError `CHAIN_UNREACHABLE` with the feed's fault, `VAULT_LOCKED` or `PAYMASTER_NOT_READY` where the
   *   chain's URL cannot be used
   */
  rateOf(token: FeeToken): Promise<TokenRate>;
  /** What a native coin is worth in US dollars, or why that is not known; it throws nothing. */
  coinPrice(chainId: number, source: CoinPriceSource): Promise<CoinPrice>;
  /** Reads everything anew from now on: the operator has changed a token. */
  forget(): void;
}

/** A quote and the operation that follows it seconds later have the same price, and a busy desk asks once. */
const KEPT_MS = 10_000;

/** Rates by each token's own source; those that are read from the chain are kept for some seconds, faults are not. */
export const createRates = (chains: Pick<ChainAccess, 'rpc'>, clock: Clock): Rates => {
  const kept = new Map<string, { readonly until: number; readonly value: Promise<unknown> }>();
  const keeping = <Value>(key: string, read: () => Promise<Value>, isFault: (value: Value) => boolean) => {
    const known = kept.get(key);
    if (known !== undefined && clock.monotonic() < known.until) return known.value as Promise<Value>;
    const value = read();
    const entry = { until: clock.monotonic() + KEPT_MS, value };
    const drop = (): void => {
      if (kept.get(key) === entry) kept.delete(key);
    };
    kept.set(key, entry);
    value.then((one) => {
      if (isFault(one)) drop();
    }, drop);
    return value;
  };
  return {
    async rateOf(token) {
      const { chainId, address, decimals, rate: source } = token;
      if (source.source === 'static') return staticRate(source, decimals);
      const read = async () => chainlinkRate(await chains.rpc(chainId), token, source, clock.now());
      return keeping(JSON.stringify([chainId, address, decimals, source]), read, () => false);
    },
    async coinPrice(chainId, source) {
      if (source.source === 'static') return { usd: source.usd, source: 'static' };
      // A vault that is locked keeps the URL from being used; then nothing is signed, either.
      const read = async () => coinPriceOf(await chains.rpc(chainId).catch(() => undefined), source, clock.now());
      return keeping(JSON.stringify([chainId, source]), read, ({ usd }) => usd === null);
    },
    forget: () => kept.clear(),
  };
};
