import type { Reservation, ReservationKind } from './account.ts';

/** State of a sponsored operation, as settlement determined it. */
export type SettlementState = 'reserved' | 'settled' | 'released' | 'unconfirmed';

/** What a decision reserved in an account. */
export interface ReservedAmount {
  readonly follows: ReservationKind;
  readonly reserved: bigint;
  /** Only for a `share`: the maximum cost that the amount stands for, in wei. */
  readonly ofWei?: bigint;
}

/** Rounds up, so that the amount counted is never too low. */
const dividedUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

/**
 * The amount that a decision keeps in an account once its operation has this state. If the cost is unknown, the whole
 * amount counts as spent. For a tank nothing is kept, because the tank's balance already shows what was spent.
 * @param actualCostWei what a settled operation cost
 */
export const heldAfter = (
  settlement: SettlementState,
  { follows, reserved, ofWei }: ReservedAmount,
  actualCostWei: bigint,
): bigint => {
  // An operation that a shadow rule would have denied reserves nothing, whatever it costs.
  if (settlement === 'reserved' || reserved === 0n) return reserved;
  if (settlement === 'released' || follows === 'tank') return 0n;
  if (settlement !== 'settled' || follows === 'count') return reserved;
  return follows === 'share' && ofWei !== undefined ? dividedUp(reserved * actualCostWei, ofWei) : actualCostWei;
};

/**
 * The amount that a reservation keeps in its account once its operation has this state. Amounts in a rolling window are
 * never released.
 */
export const heldOnceSettled = (
  { kind: follows, amount: reserved, since, ...rest }: Reservation,
  settlement: SettlementState,
  actualCostWei: bigint,
): bigint => (since === undefined ? heldAfter(settlement, { ...rest, follows, reserved }, actualCostWei) : reserved);
