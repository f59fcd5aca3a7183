import type { Exposure } from '../desk/types.ts';

/** What is promised of one coin, on all chains that have it. */
export interface CoinExposure {
  readonly coin: string;
  readonly wei: string;
}

/** What is promised by coin; coins of which nothing is promised are left out where another is. */
export const exposureByCoin = (exposure: Exposure, coinOf: (chainId: number) => string): CoinExposure[] => {
  const totals = new Map<string, bigint>();
  for (const { chainId, promisedWei } of exposure.chains) {
    const coin = coinOf(chainId);
    totals.set(coin, (totals.get(coin) ?? 0n) + BigInt(promisedWei));
  }
  const all = [...totals].map(([coin, wei]) => ({ coin, wei: String(wei) }));
  const open = all.filter(({ wei }) => wei !== '0');
  return open.length > 0 ? open : all.slice(0, 1);
};
