import type { Reservation, ReservationKind } from './account.ts';

/** State of a sponsored operation, as settlement found it. */
export type SettlementState = 'reserved' | 'settled' | 'released' | 'unconfirmed';

/** What a decision took from an account. */
export interface ReservedAmount {
  readonly follows: ReservationKind;
  readonly reserved: bigint;
  /** Only for a `share`: the maximum cost that the amount stands for, in wei. */
  readonly ofWei?: bigint;
}

/** Rounds up, so that the amount counted is never too low. */
const dividedUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

/**
 * What a decision holds of an account in a state of its operation. An unknown cost counts as spent; a tank's own
 * balance shows what it has left.
 * @param actualCostWei what a settled operation cost
 */
export const heldAfter = (
  settlement: SettlementState,
  { follows, reserved, ofWei }: ReservedAmount,
  actualCostWei: bigint,
): bigint => {
  // An operation that a rule in shadow would have denied takes nothing, whatever it costs.
  if (settlement === 'reserved' || reserved === 0n) return reserved;
  if (settlement === 'released' || follows === 'tank') return 0n;
  if (settlement !== 'settled' || follows === 'count') return reserved;
  return follows === 'share' && ofWei !== undefined ? dividedUp(reserved * actualCostWei, ofWei) : actualCostWei;
};

/** The same of a reservation: what counts in a rolling window is never released. */
export const heldOnceSettled = (
  { kind: follows, amount: reserved, since, ...rest }: Reservation,
  settlement: SettlementState,
  actualCostWei: bigint,
): bigint => (since === undefined ? heldAfter(settlement, { ...rest, follows, reserved }, actualCostWei) : reserved);
