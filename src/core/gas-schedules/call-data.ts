import type { BytePrices, GasSchedule } from './gas-schedule.ts';

/** Numbers of bytes, by what they cost. */
export interface ByteCounts {
  readonly zero: bigint;
  readonly other: bigint;
}

const priceOf = (prices: BytePrices, { zero, other }: ByteCounts): bigint => prices.zero * zero + prices.other * other;

/**
 * What a transaction costs for its calldata and its execution, as far as its own execution gas does not pay for it, in
 * gas: `max(price of the calldata + unmetered, floor price of the calldata - metered)` (EIP-7623).
 *
 * @param unmetered gas of the execution that nothing pays for
 * @param metered gas of the execution that the EntryPoint charges for; the floor replaces it
 */
export const unpaidGas = (
  { callData, callDataFloor }: GasSchedule,
  bytes: ByteCounts,
  { unmetered, metered }: { readonly unmetered: bigint; readonly metered: bigint },
): bigint => {
  const usual = priceOf(callData, bytes) + unmetered;
  const floor = priceOf(callDataFloor, bytes) - metered;
  return usual > floor ? usual : floor;
};
