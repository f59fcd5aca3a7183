import type { AccountKind, ReservationKind } from '../../core/ledger/account.ts';
import { type ReservedAmount, heldAfter } from '../../core/ledger/after-settlement.ts';
import type { DecisionSettlement } from './settlement-store.ts';

/** What a decision reserved in one account, by the account's number. */
export interface StoredReservation extends ReservedAmount {
  /** For an account that is stored with others: the number of the row. */
  readonly accountId: number;
  /** Only for an account that is stored with others: its index in the row. */
  readonly slot?: number | undefined;
  readonly accountKind: AccountKind;
}

/** Adjacent slots of a row. */
type Slots = [rowId: number, first: number, count: number];

/** Adjacent reservations that differ only in their accounts, as those of limits with one threshold type. */
type Run = [
  accountKind: AccountKind,
  follows: ReservationKind,
  amount: string,
  ofWei: string | null,
  ...accounts: (number | Slots)[],
];

const isAlike = (one: StoredReservation, other: StoredReservation): boolean =>
  one.accountKind === other.accountKind &&
  one.follows === other.follows &&
  one.reserved === other.reserved &&
  one.ofWei === other.ofWei;

/** Adds an account to the last ones. */
const addAccount = (run: Run, { accountId, slot }: StoredReservation): void => {
  const last = run.at(-1);
  if (slot === undefined) run.push(accountId);
  else if (Array.isArray(last) && last[0] === accountId && last[1] + last[2] === slot) last[2] += 1;
  else run.push([accountId, slot, 1]);
};

const accountsIn = (account: number | Slots): Pick<StoredReservation, 'accountId' | 'slot'>[] => {
  if (!Array.isArray(account)) return [{ accountId: account }];
  const [accountId, first, count] = account;
  return Array.from({ length: count }, (_, index) => ({ accountId, slot: first + index }));
};

/** The reservations of a decision in the format of its column `reserves`: JSON. */
export const reservesText = (reservations: readonly StoredReservation[]): string => {
  const runs: Run[] = [];
  let run: Run | undefined;
  let before: StoredReservation | undefined;
  for (const one of reservations) {
    if (run === undefined || before === undefined || !isAlike(before, one)) {
      const { accountKind, follows, reserved, ofWei } = one;
      run = [accountKind, follows, String(reserved), ofWei === undefined ? null : String(ofWei)];
      runs.push(run);
    }
    addAccount(run, one);
    before = one;
  }
  return JSON.stringify(runs);
};

export const readReserves = (text: string | null): StoredReservation[] =>
  (JSON.parse(text ?? '[]') as Run[]).flatMap(([accountKind, follows, amount, ofWei, ...accounts]) => {
    const alike = { accountKind, follows, reserved: BigInt(amount), ...(ofWei !== null && { ofWei: BigInt(ofWei) }) };
    return accounts.flatMap(accountsIn).map((account) => ({ ...account, ...alike }));
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
