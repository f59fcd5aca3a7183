import type { Exposure } from '../desk/types.ts';

export interface CoinExposure {
  readonly coin: string;
  readonly wei: string;
}

/** Reserved amounts by coin. A coin without reservations is left out if another coin has some. */
export const exposureByCoin = (exposure: Exposure, coinOf: (chainId: number) => string): CoinExposure[] => {
  const totals = new Map<string, bigint>();
  for (const { chainId, reservedWei } of exposure.chains) {
    const coin = coinOf(chainId);
    totals.set(coin, (totals.get(coin) ?? 0n) + BigInt(reservedWei));
  }
  const all = [...totals].map(([coin, wei]) => ({ coin, wei: String(wei) }));
  const open = all.filter(({ wei }) => wei !== '0');
  return open.length > 0 ? open : all.slice(0, 1);
};
