import type { ReservationKind } from './account.ts';

/** What became of a sponsored operation, as settlement found it. */
export type SettlementState = 'reserved' | 'settled' | 'released' | 'unconfirmed';

/**
 * What a decision holds of an account once its operation has become this. What nobody knows the cost of counts as spent;
 * a tank's own balance tells what it has left.
 *
 * @param actualCostWei what a settled operation cost
 */
export const heldAfter = (
  settlement: SettlementState,
  { follows, reserved }: { readonly follows: ReservationKind; readonly reserved: bigint },
  actualCostWei: bigint,
): bigint => {
  // What a rule in shadow would have denied takes nothing, whatever it comes to cost.
  if (settlement === 'reserved' || reserved === 0n) return reserved;
  if (settlement === 'released' || follows === 'tank') return 0n;
  return settlement === 'settled' && follows === 'spend' ? actualCostWei : reserved;
};
