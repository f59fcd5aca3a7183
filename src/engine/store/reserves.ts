import type { AccountKind, ReservationKind } from '../../core/ledger/account.ts';
import { type ReservedAmount, heldAfter } from '../../core/ledger/after-settlement.ts';
import type { DecisionSettlement } from './settlement-store.ts';

/** What a decision reserved in one account, by the account's number. */
export interface StoredReservation extends ReservedAmount {
  readonly accountId: number;
  readonly accountKind: AccountKind;
}

type Cells = readonly [
  accountId: number,
  accountKind: AccountKind,
  follows: ReservationKind,
  amount: string,
  ofWei: string | null,
];

/** The reservations of a decision in the format of its column `reserves`: JSON. */
export const reservesText = (reservations: readonly StoredReservation[]): string =>
  JSON.stringify(
    reservations.map(({ accountId, accountKind, follows, reserved, ofWei }): Cells => [
      accountId,
      accountKind,
      follows,
      String(reserved),
      ofWei === undefined ? null : String(ofWei),
    ]),
  );

export const readReserves = (text: string | null): StoredReservation[] =>
  (JSON.parse(text ?? '[]') as Cells[]).map(([accountId, accountKind, follows, amount, ofWei]) => ({
    accountId,
    accountKind,
    follows,
    reserved: BigInt(amount),
    ...(ofWei !== null && { ofWei: BigInt(ofWei) }),
  }));

/** The amount that a decision reserves in its gas tank, in wei, while it is reserved. */
export const reservedInTank = (text: string | null): bigint =>
  readReserves(text)
    .filter(({ accountKind }) => accountKind === 'tank')
    .reduce((sum, { reserved }) => sum + reserved, 0n);

/** The amount that a decision keeps in an account, given the state of its settlement. */
export const heldIn = (
  { settlement, actualCostWei }: Pick<DecisionSettlement, 'settlement' | 'actualCostWei'>,
  reservation: ReservedAmount,
): bigint => heldAfter(settlement, reservation, BigInt(actualCostWei ?? 0));

/** Requires one reservation for each account. @throws Error if a decision reserves twice in one account */
export const requireDistinct = (accounts: readonly object[]): void => {
  if (new Set(accounts).size < accounts.length) throw new Error('A decision reserves twice in one account');
};
