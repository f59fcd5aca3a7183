import type { AccountKind, ReservationKind } from '../../core/ledger/account.ts';
import { type ReservedAmount, heldAfter } from '../../core/ledger/after-settlement.ts';
import type { DecisionSettlement } from './settlement-store.ts';

/** What a decision reserved in one account, by the account's number. */
export interface StoredReservation extends ReservedAmount {
  readonly accountId: number;
  readonly accountKind: AccountKind;
}

/** Adjacent reservations that differ only in their accounts, as those of limits with one threshold type. */
type Run = [
  accountKind: AccountKind,
  follows: ReservationKind,
  amount: string,
  ofWei: string | null,
  ...accountIds: number[],
];

const isAlike = (one: StoredReservation, other: StoredReservation): boolean =>
  one.accountKind === other.accountKind &&
  one.follows === other.follows &&
  one.reserved === other.reserved &&
  one.ofWei === other.ofWei;

/** The reservations of a decision in the format of its column `reserves`: JSON. */
export const reservesText = (reservations: readonly StoredReservation[]): string => {
  const runs: Run[] = [];
  for (const [index, one] of reservations.entries()) {
    const before = reservations[index - 1];
    const { accountId, accountKind, follows, reserved, ofWei } = one;
    if (before !== undefined && isAlike(before, one)) runs.at(-1)?.push(accountId);
    else runs.push([accountKind, follows, String(reserved), ofWei === undefined ? null : String(ofWei), accountId]);
  }
  return JSON.stringify(runs);
};

export const readReserves = (text: string | null): StoredReservation[] =>
  (JSON.parse(text ?? '[]') as Run[]).flatMap(([accountKind, follows, amount, ofWei, ...accountIds]) => {
    const alike = { accountKind, follows, reserved: BigInt(amount), ...(ofWei !== null && { ofWei: BigInt(ofWei) }) };
    return accountIds.map((accountId) => ({ accountId, ...alike }));
  });

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
