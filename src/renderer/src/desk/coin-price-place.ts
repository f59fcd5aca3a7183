import type { RouteLocationRaw } from 'vue-router';

export const COIN_PRICE_PART = 'coin-price';

export const coinPricePlace = (chainId: number): RouteLocationRaw => ({
  path: '/settings',
  query: { at: COIN_PRICE_PART, chain: String(chainId) },
});
