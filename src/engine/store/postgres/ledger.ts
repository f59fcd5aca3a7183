import { type AccountKey, type Reservation, accountText } from '../../../core/ledger/account.ts';
import type { ReservedAmount } from '../../../core/ledger/after-settlement.ts';
import { MAX_PARTS } from '../../../core/ledger/rolling.ts';
import type { LedgerPart } from '../decision-store.ts';
import { type StoredReservation, requireDistinct } from '../reserves.ts';
import type { Rows } from './rows.ts';
import type { Transaction } from './writer.ts';

/** Key of an account in its table: an unused window is 0, an unused user empty. */
interface Columns {
  readonly kind: string;
  readonly id: string;
  readonly window: number;
  readonly user: string;
}

const columnsOf = ({ kind, id, window = 0, user = '' }: AccountKey): Columns => ({ kind, id, window, user });
const keyOf = ({ kind, id, window, user }: Columns): string => JSON.stringify([kind, id, window, user]);
const rollingKey = ({ kind, id }: AccountKey): string => JSON.stringify([kind, id]);

interface AccountRow extends Columns {
  readonly accountId: number;
  readonly held: string;
}

const ACCOUNT = `account_id AS "accountId", kind, id, "window", "user", held FROM ledger_account`;

const FIND = `SELECT ${ACCOUNT} JOIN unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
  AS asked (kind, id, "window", "user") USING (kind, id, "window", "user")`;

const PARTS = `SELECT ${ACCOUNT} JOIN unnest($1::text[], $2::text[], $3::bigint[]) AS asked (kind, id, since)
  USING (kind, id) WHERE "window" >= since`;

const SAVE = `INSERT INTO ledger_account (account_id, kind, id, "window", "user", held)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[])
  ON CONFLICT (account_id) DO UPDATE SET held = excluded.held`;

const FORGET_PARTS = `DELETE FROM ledger_account WHERE kind = $1 AND id = $2 AND "window" < $3 AND "window" < (
  SELECT "window" FROM ledger_account WHERE kind = $1 AND id = $2
  ORDER BY "window" DESC LIMIT 1 OFFSET ${MAX_PARTS - 1})`;

/** Buckets that are not a single account are read from a start on. */
const isRolling = (part: LedgerPart): part is LedgerPart & { readonly since: number } => part.since !== undefined;

const readParts = async (rows: Rows, parts: readonly LedgerPart[]): Promise<AccountRow[][]> => {
  const single = parts.filter((part) => !isRolling(part)).map(({ account }) => columnsOf(account));
  const rolling = parts.filter(isRolling);
  const column = <Name extends keyof Columns>(name: Name): Columns[Name][] => single.map((one) => one[name]);
  return Promise.all([
    single.length === 0
      ? []
      : rows.all<AccountRow>(FIND, [column('kind'), column('id'), column('window'), column('user')]),
    rolling.length === 0
      ? []
      : rows.all<AccountRow>(PARTS, [
          rolling.map(({ account }) => account.kind),
          rolling.map(({ account }) => account.id),
          rolling.map(({ since }) => since),
        ]),
  ]);
};

interface Account extends Columns {
  accountId: number;
  held: bigint;
}

/**
 * The accounts of several decisions in one transaction: read once, counted here, written once. No other writer runs
 * meanwhile.
 */
export interface LedgerView {
  /** Amount that all decisions together hold in the account, or in the counted buckets of its rolling window. */
  heldOf(part: LedgerPart): bigint;
  /** @returns what the decision keeps of its reservations */
  reserve(reservations: readonly Reservation[]): StoredReservation[];
  /** Adds to an account, created if missing. @returns its number */
  add(account: AccountKey, amount: bigint): number;
  flush(): Promise<void>;
}

export const loadLedger = async (writing: Transaction, parts: readonly LedgerPart[]): Promise<LedgerView> => {
  const accounts = new Map<string, Account>();
  const rolling = new Map<string, Map<number, Account>>();
  const changed = new Set<Account>();
  const forgets = new Map<string, readonly [kind: string, id: string, since: number]>();
  const enter = (account: Account, intoWindow: boolean): void => {
    accounts.set(keyOf(account), account);
    if (!intoWindow) return;
    const key = rollingKey(account as unknown as AccountKey);
    const windows = rolling.get(key) ?? new Map<number, Account>();
    rolling.set(key, windows.set(account.window, account));
  };
  const [single = [], inWindows = []] = await readParts(writing, [
    ...parts,
    // A new bucket gets the amount, whichever buckets of its window count.
    ...parts.filter(isRolling).map(({ account }) => ({ account })),
  ]);
  for (const row of single) enter({ ...row, held: BigInt(row.held) }, false);
  for (const row of inWindows) {
    const known = accounts.get(keyOf(row));
    enter(known ?? { ...row, held: BigInt(row.held) }, true);
  }

  const addTo = (account: AccountKey, amount: bigint, intoWindow: boolean): { accountId: number; isNew: boolean } => {
    const columns = columnsOf(account);
    const found = accounts.get(keyOf(columns));
    const one = found ?? { ...columns, accountId: (writing.head.accounts += 1), held: 0n };
    one.held += amount;
    if (found === undefined) enter(one, intoWindow);
    changed.add(one);
    return { accountId: one.accountId, isNew: found === undefined };
  };

  return {
    heldOf(part) {
      if (!isRolling(part)) return accounts.get(keyOf(columnsOf(part.account)))?.held ?? 0n;
      const windows = rolling.get(rollingKey(part.account))?.values() ?? [];
      return [...windows].reduce((sum, { window, held }) => (window >= part.since ? sum + held : sum), 0n);
    },
    reserve(taken) {
      requireDistinct(taken.map(({ account }) => accountText(account)));
      const kept: StoredReservation[] = [];
      for (const { account, kind: follows, amount: reserved, since, ofWei } of taken) {
        const { accountId, isNew } = addTo(account, reserved, since !== undefined);
        const share = ofWei === undefined ? {} : { ofWei };
        if (since === undefined) kept.push({ accountId, accountKind: account.kind, follows, reserved, ...share });
        else if (isNew) forgets.set(rollingKey(account), [account.kind, account.id, since]);
      }
      return kept;
    },
    add: (account, amount) => addTo(account, amount, false).accountId,
    async flush() {
      const saved = [...changed];
      if (saved.length > 0) {
        await writing.run(SAVE, [
          saved.map(({ accountId }) => accountId),
          saved.map(({ kind }) => kind),
          saved.map(({ id }) => id),
          saved.map(({ window }) => window),
          saved.map(({ user }) => user),
          saved.map(({ held }) => String(held)),
        ]);
      }
      for (const forget of forgets.values()) await writing.run(FORGET_PARTS, forget);
    },
  };
};

/** Current amounts of accounts, or of the counted buckets of their rolling windows, in the same order. */
export const readHeld = async (rows: Rows, parts: readonly LedgerPart[]): Promise<bigint[]> => {
  const [single = [], inWindows = []] = await readParts(rows, parts);
  const heldBy = new Map(single.map((row) => [keyOf(row), BigInt(row.held)]));
  return parts.map((part) => {
    if (!isRolling(part)) return heldBy.get(keyOf(columnsOf(part.account))) ?? 0n;
    const { kind, id } = part.account;
    // Another decision may need more of the same window.
    const windows = new Map(
      inWindows
        .filter((row) => row.kind === kind && row.id === id && row.window >= part.since)
        .map((row) => [row.window, BigInt(row.held)]),
    );
    return [...windows.values()].reduce((sum, held) => sum + held, 0n);
  });
};

const ADD = 'UPDATE ledger_account SET held = (held::numeric + $1::numeric)::text WHERE account_id = $2';

/** Adds to the accounts of a decision what `change` says of each reservation. */
export const adjustReservations = async (
  writing: Transaction,
  reservations: readonly StoredReservation[],
  change: (reservation: ReservedAmount) => bigint,
): Promise<void> => {
  for (const reservation of reservations) {
    const difference = change(reservation);
    if (difference === 0n) continue;
    if (reservation.follows === 'tank') writing.advanceLedger();
    await writing.run(ADD, [String(difference), reservation.accountId]);
  }
};

/** Reserves without a decision, until released. @param engine the owner of the hold */
export const holdReservations = async (
  writing: Transaction,
  ledger: LedgerView,
  reservations: readonly Reservation[],
  engine: number,
): Promise<number[]> => {
  const holds: number[] = [];
  for (const { account, amount } of reservations) {
    const row = await writing.get<{ hold: number }>(
      'INSERT INTO ledger_hold (account_id, amount, engine) VALUES ($1, $2, $3) RETURNING hold_id AS hold',
      [ledger.add(account, amount), String(amount), engine],
    );
    const hold = row?.hold ?? 0;
    writing.log.append('hold', { hold, account: accountText(account), amount: String(amount) });
    holds.push(hold);
  }
  return holds;
};

export const releaseHolds = async (writing: Transaction, holds: readonly number[]): Promise<void> => {
  const ended = await writing.all<{ hold: number; accountId: number; amount: string }>(
    `DELETE FROM ledger_hold WHERE hold_id = ANY($1::bigint[])
     RETURNING hold_id AS hold, account_id AS "accountId", amount`,
    [[...holds]],
  );
  if (ended.length === 0) return;
  for (const { accountId, amount } of ended) await writing.run(ADD, [String(-BigInt(amount)), accountId]);
  writing.log.append('release', { holds: ended.map(({ hold }) => hold) });
};
