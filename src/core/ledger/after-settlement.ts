import type { Reservation, ReservationKind } from './account.ts';

/** What became of a sponsored operation, as settlement found it. */
export type SettlementState = 'reserved' | 'settled' | 'released' | 'unconfirmed';

/** What a decision took from an account. */
export interface Reserved {
  readonly follows: ReservationKind;
  readonly reserved: bigint;
  /** Of a `share`: the maximum cost that the amount stands for, wei. */
  readonly ofWei?: bigint;
}

/** Rounded up: what is counted never falls short. */
const dividedUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

/**
 * What a decision holds of an account once its operation has become this. What nobody knows the cost of counts as spent;
 * a tank's own balance tells what it has left.
 *
 * @param actualCostWei what a settled operation cost
 */
export const heldAfter = (
  settlement: SettlementState,
  { follows, reserved, ofWei }: Reserved,
  actualCostWei: bigint,
): bigint => {
  // What a rule in shadow would have denied takes nothing, whatever it comes to cost.
  if (settlement === 'reserved' || reserved === 0n) return reserved;
  if (settlement === 'released' || follows === 'tank') return 0n;
  if (settlement !== 'settled' || follows === 'count') return reserved;
  return follows === 'share' && ofWei !== undefined ? dividedUp(reserved * actualCostWei, ofWei) : actualCostWei;
};

/** The same of a reservation: what counts in a rolling window is never given back. */
export const heldOnceSettled = (
  { kind: follows, amount: reserved, since, ...rest }: Reservation,
  settlement: SettlementState,
  actualCostWei: bigint,
): bigint => (since === undefined ? heldAfter(settlement, { ...rest, follows, reserved }, actualCostWei) : reserved);
