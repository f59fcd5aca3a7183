import type { FeeToken } from '../../../shared/schema/fee-token.ts';
import type { Clock } from '../../base/clock.ts';
import type { ChainAccess } from '../chain-access.ts';
import { chainlinkRate } from './chainlink.ts';
import type { TokenRate } from './rate.ts';
import { staticRate } from './static.ts';

/** Exchange rates of fee tokens. */
export interface Rates {
  /**
   * @throws EngineError `CHAIN_UNREACHABLE` with the feed's fault, `VAULT_LOCKED` or `PAYMASTER_NOT_READY` where the
   *   chain's URL cannot be used
   */
  rateOf(token: FeeToken): Promise<TokenRate>;
  /** Reads everything anew from now on: the operator has changed a token. */
  forget(): void;
}

/** A quote and the operation that follows it seconds later have the same price, and a busy desk asks once. */
const KEPT_MS = 10_000;

/** Rates by each token's own source; those that are read from the chain are kept for some seconds, faults are not. */
export const createRates = (chains: Pick<ChainAccess, 'rpc'>, clock: Clock): Rates => {
  const kept = new Map<string, { readonly until: number; readonly rate: Promise<TokenRate> }>();
  return {
    async rateOf(token) {
      const { chainId, address, decimals, rate: source } = token;
      if (source.source === 'static') return staticRate(source, decimals);
      const key = JSON.stringify([chainId, address, decimals, source]);
      const known = kept.get(key);
      if (known !== undefined && clock.monotonic() < known.until) return known.rate;
      const rate = chains.rpc(chainId).then((rpc) => chainlinkRate(rpc, token, source, clock.now()));
      const entry = { until: clock.monotonic() + KEPT_MS, rate };
      kept.set(key, entry);
      rate.catch(() => {
        if (kept.get(key) === entry) kept.delete(key);
      });
      return rate;
    },
    forget: () => kept.clear(),
  };
};
