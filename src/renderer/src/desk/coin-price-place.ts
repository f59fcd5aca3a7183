import type { RouteLocationRaw } from 'vue-router';

/** The part of a chain's settings that says what its coin is worth, as an address names it. */
export const COIN_PRICE_PART = 'coin-price';

/** Where the operator says what the coin of a chain is worth. */
export const coinPricePlace = (chainId: number): RouteLocationRaw => ({
  path: '/settings',
  query: { at: COIN_PRICE_PART, chain: String(chainId) },
});
