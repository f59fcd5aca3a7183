import { type AccountKey, type PlacedKey, type Reservation, accountText } from '../../../core/ledger/account.ts';
import { MAX_PARTS } from '../../../core/ledger/rolling.ts';
import type { LedgerPart } from '../decision-store.ts';
import type { DeskHead } from '../desk-head.ts';
import { type StoredReservation, requireDistinct } from '../reserves.ts';
import type { Cells, Lookup, StepRows, Steps, Target } from '../rows.ts';
import { createLimitRows, isPlaced } from './limit-rows.ts';

/** Key of an account in its table. An unused window is 0, and an unused user is an empty text. */
const KEY = { kind: 'text', id: 'text', window: 'bigint', user: 'text' } as const;
const ACCOUNT = { columns: 'account_id, kind, id, "window", "user", held', table: 'ledger_account' };
const BY_KEY: Lookup = { ...ACCOUNT, keys: KEY };
const BY_ID: Lookup = { ...ACCOUNT, keys: { account_id: 'bigint' } };
const BUCKETS: Lookup = { ...ACCOUNT, keys: { kind: 'text', id: 'text', window: 'bigint' }, from: 'window' };

const ADDED: Target = {
  table: 'ledger_account',
  columns: { account_id: 'bigint', ...KEY, held: 'text' },
  as: 'insert',
};
const CHANGED: Target = { table: 'ledger_account', columns: { held: 'text', account_id: 'bigint' }, as: 'update' };

const FORGET_OLDEST = `DELETE FROM ledger_account WHERE "window" < $3 AND kind = $1 AND id = $2 AND "window" < (
  SELECT "window" FROM ledger_account WHERE kind = $1 AND id = $2
  ORDER BY "window" DESC LIMIT 1 OFFSET ${MAX_PARTS - 1})`;

/** The last number that was given to an account or to a row of limits, in a subquery; null if none was. */
export const LAST_ACCOUNT = `(SELECT max(last) FROM (SELECT max(account_id) AS last FROM ledger_account
  UNION ALL SELECT max(group_id) FROM limit_group UNION ALL SELECT max(row_id) FROM limit_row) AS numbers)`;

interface AccountRow extends Required<Omit<AccountKey, 'place'>> {
  readonly accountId: number;
  readonly held: string;
}

/** An account in memory. It has no number until an amount is added to it. */
interface Account {
  held: bigint;
  accountId: number | undefined;
}

/** The buckets of a rolling window, starting with a given number. */
interface Buckets {
  readonly from: number;
  readonly accounts: Map<number, Account>;
}

/** Memory of an account, measured with keys of limits per user. */
const ACCOUNT_BYTES = 256;

/** Maximum memory of accounts, about. 200,000 accounts fit, or 1,500 users with 1,000 limits. */
const MAX_BYTES = 200_000 * ACCOUNT_BYTES;

const cellsOf = ({ kind, id, window = 0, user = '' }: AccountKey): Cells => [kind, id, window, user];
const keyOf = ({ kind, id, window = 0, user = '' }: AccountKey): string => `${kind}\n${id}\n${window}\n${user}`;
const rollingKey = ({ kind, id }: AccountKey): string => `${kind}\n${id}`;
const accountOf = ({ accountId, held }: AccountRow): Account => ({ accountId, held: BigInt(held) });

/** What is added to an account. */
export interface AccountChange extends Pick<StoredReservation, 'accountId' | 'slot'> {
  readonly amount: bigint;
}

/**
 * The accounts of the ledger. An account is a counter, never a sum over the history. The accounts in use are in memory.
 * `save` writes the accounts that a transaction has changed, at the end of the transaction.
 */
export interface Ledger {
  /** Reads these accounts, unless they are in memory. Must run before the accounts are used. */
  load(rows: StepRows, parts: readonly LedgerPart[]): Steps<void>;
  /** Amount that all decisions together hold in the account, or in the counted buckets of its rolling window. */
  readonly heldOf: (part: LedgerPart) => bigint;
  /** @returns what the decision keeps of its reservations */
  reserve(reservations: readonly Reservation[]): StoredReservation[];
  /** Adds to an account, created if missing. @returns its number */
  add(account: AccountKey, amount: bigint): number;
  /** Adds to accounts by their numbers. */
  adjust(rows: StepRows, changes: readonly AccountChange[]): Steps<void>;
  save(tx: StepRows): Steps<void>;
  /** Discards rolling windows, because accounts were loaded outside of a transaction, and all accounts if there are many. */
  readonly endReading: () => void;
  /** Reads every account again, because the transaction was undone or another engine has written. */
  readonly forget: () => void;
}

/** Creates a ledger that has no accounts in memory. @param head counts the numbers of accounts */
export const createLedger = (head: Pick<DeskHead, 'accounts'>, maxBytes = MAX_BYTES): Ledger => {
  const limits = createLimitRows(head);
  const byKey = new Map<string, Account>();
  const byId = new Map<number, Account>();
  /** Rolling windows. They are kept only during a transaction, because their buckets may be removed later. */
  let rolling = new Map<string, Buckets>();
  /**
   * The accounts that the transaction has looked up, by the key objects. A decision looks up each account several
   * times.
   */
  let lookedUp = new Map<AccountKey, Account>();
  let added = new Map<Account, AccountKey>();
  let changed = new Set<Account>();
  let withNewBucket = new Map<string, readonly [kind: string, id: string, since: number]>();

  const enter = (row: AccountRow): Account => {
    const account = accountOf(row);
    byKey.set(keyOf(row), account);
    byId.set(row.accountId, account);
    return account;
  };
  const find = (key: AccountKey): Account | undefined => {
    const found = lookedUp.get(key) ?? byKey.get(keyOf(key));
    if (found !== undefined) lookedUp.set(key, found);
    return found;
  };
  const loaded = (key: AccountKey): Account => {
    const found = find(key);
    if (found === undefined) throw new Error(`The account ${accountText(key)} is not loaded`);
    return found;
  };
  const bucketsOf = (key: AccountKey): Buckets['accounts'] => {
    const found = rolling.get(rollingKey(key));
    if (found === undefined) throw new Error(`The rolling window ${accountText(key)} is not loaded`);
    return found.accounts;
  };

  const loadAccounts = function* (rows: StepRows, keys: ReadonlyMap<string, AccountKey>): Steps<void> {
    for (const row of yield* rows.findMany<AccountRow>(BY_KEY, [...keys.values()].map(cellsOf))) enter(row);
    for (const key of keys.keys()) if (!byKey.has(key)) byKey.set(key, { held: 0n, accountId: undefined });
  };
  const loadBuckets = function* (rows: StepRows, windows: ReadonlyMap<string, Cells>): Steps<void> {
    for (const [key, [, , from]] of windows) {
      rolling.set(key, { from: Number(from), accounts: rolling.get(key)?.accounts ?? new Map<number, Account>() });
    }
    for (const row of yield* rows.findMany<AccountRow>(BUCKETS, [...windows.values()])) {
      const buckets = bucketsOf(row);
      // Another decision may have read the account before, and changed it.
      if (!buckets.has(row.window)) buckets.set(row.window, accountOf(row));
    }
  };

  /** Adds to an account in memory. @returns its number */
  const addTo = (account: Account, key: AccountKey, amount: bigint): number => {
    account.held += amount;
    if (account.accountId !== undefined) {
      changed.add(account);
      return account.accountId;
    }
    head.accounts += 1;
    account.accountId = head.accounts;
    byId.set(account.accountId, account);
    added.set(account, key);
    return account.accountId;
  };
  const addToBucket = ({ account: key, amount }: Reservation, since: number): void => {
    const buckets = bucketsOf(key);
    const { window = 0 } = key;
    const bucket = buckets.get(window) ?? { held: 0n, accountId: undefined };
    if (bucket.accountId === undefined) withNewBucket.set(rollingKey(key), [key.kind, key.id, since]);
    buckets.set(window, bucket);
    addTo(bucket, key, amount);
  };
  const endTransaction = (): void => {
    // Not cleared: V8 lets the old table of a map refer to its new one, so that collections of young objects keep both.
    rolling = new Map();
    lookedUp = new Map();
    added = new Map();
    changed = new Set();
    withNewBucket = new Map();
  };
  const forget = (): void => {
    endTransaction();
    byKey.clear();
    byId.clear();
    limits.forget();
  };
  const addReserved = (account: AccountKey, amount: bigint): Pick<StoredReservation, 'accountId' | 'slot'> =>
    isPlaced(account) ? limits.add(account, amount) : { accountId: addTo(loaded(account), account, amount) };
  const endAndMakeRoom = (): void => {
    endTransaction();
    if (byKey.size * ACCOUNT_BYTES + limits.bytes() > maxBytes) forget();
  };

  return {
    forget,
    endReading: endAndMakeRoom,
    *load(rows, parts) {
      const [accounts, windows] = [new Map<string, AccountKey>(), new Map<string, Cells>()];
      const placed: PlacedKey[] = [];
      for (const { account, since } of parts) {
        if (isPlaced(account)) {
          placed.push(account);
          continue;
        }
        if (since === undefined) {
          if (find(account) === undefined) accounts.set(keyOf(account), account);
          continue;
        }
        const key = rollingKey(account);
        // The amount is added to its own bucket, even if that bucket does not count.
        const from = Math.min(since, account.window ?? since);
        const known = windows.get(key)?.[2] ?? rolling.get(key)?.from ?? Infinity;
        if (from < Number(known)) windows.set(key, [account.kind, account.id, from]);
      }
      if (accounts.size > 0) yield* loadAccounts(rows, accounts);
      if (windows.size > 0) yield* loadBuckets(rows, windows);
      if (placed.length > 0) yield* limits.load(rows, placed);
    },
    heldOf({ account, since }) {
      if (isPlaced(account)) return limits.heldOf(account);
      if (since === undefined) return loaded(account).held;
      let sum = 0n;
      for (const [window, { held }] of bucketsOf(account)) if (window >= since) sum += held;
      return sum;
    },
    reserve(reservations) {
      requireDistinct(
        reservations.map(({ account, since }) => account.place ?? (since === undefined ? loaded(account) : account)),
      );
      const kept: StoredReservation[] = [];
      for (const reservation of reservations) {
        const { account, kind: follows, amount: reserved, since, ofWei } = reservation;
        if (since !== undefined) {
          addToBucket(reservation, since);
          continue;
        }
        const { accountId, slot } = addReserved(account, reserved);
        const share = ofWei === undefined ? undefined : { ofWei };
        kept.push({ accountId, slot, accountKind: account.kind, follows, reserved, ...share });
      }
      return kept;
    },
    add: (account, amount) => addTo(loaded(account), account, amount),
    *adjust(rows, changes) {
      const inRows = changes.flatMap(({ accountId, slot, amount }) =>
        slot === undefined ? [] : [{ accountId, slot, amount }],
      );
      if (inRows.length > 0) yield* limits.adjust(rows, inRows);
      const single = changes.filter(({ slot }) => slot === undefined);
      const missing = single.flatMap(({ accountId }) => (byId.has(accountId) ? [] : [[accountId]]));
      if (missing.length > 0) for (const row of yield* rows.findMany<AccountRow>(BY_ID, missing)) enter(row);
      for (const { accountId, amount } of single) {
        const account = byId.get(accountId);
        if (account === undefined) continue;
        account.held += amount;
        if (!added.has(account)) changed.add(account);
      }
    },
    *save(tx) {
      const inserted = [...added].map(([{ accountId, held }, key]): Cells => [
        accountId ?? null,
        ...cellsOf(key),
        String(held),
      ]);
      const updated: Cells[] = [];
      for (const account of changed) {
        if (!added.has(account)) updated.push([String(account.held), account.accountId ?? null]);
      }
      yield* tx.writeMany([
        { to: ADDED, rows: inserted },
        { to: CHANGED, rows: updated },
      ]);
      yield* limits.save(tx);
      for (const window of withNewBucket.values()) yield* tx.run(FORGET_OLDEST, window);
      // Only accounts of rolling windows are ever removed, by this engine or by others.
      for (const { accounts } of rolling.values()) {
        for (const { accountId } of accounts.values()) if (accountId !== undefined) byId.delete(accountId);
      }
      endAndMakeRoom();
    },
  };
};
