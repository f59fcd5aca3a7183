import type { BytePrices, GasSchedule } from './gas-schedule.ts';

/** Numbers of bytes, by what they cost. */
export interface ByteCounts {
  readonly zero: bigint;
  readonly other: bigint;
}

const priceOf = (prices: BytePrices, { zero, other }: ByteCounts): bigint => prices.zero * zero + prices.other * other;

/**
 * The cost of a transaction's calldata and execution that the EntryPoint does not charge for, in gas: `max(price of the
 * calldata + unmetered, floor price of the calldata - metered)` (EIP-7623).
 *
 * @param schedule of the chain
 * @param bytes of the calldata
 * @param execution its gas
 * @param execution.unmetered gas that the EntryPoint does not charge for
 * @param execution.metered gas that the EntryPoint charges for; it counts towards the floor
 */
export const unpaidGas = (
  schedule: GasSchedule,
  bytes: ByteCounts,
  execution: { readonly unmetered: bigint; readonly metered: bigint },
): bigint => {
  const { unmetered, metered } = execution;
  const usual = priceOf(schedule.callData, bytes) + unmetered;
  const floor = priceOf(schedule.callDataFloor, bytes) - metered;
  return usual > floor ? usual : floor;
};
