import type Database from 'better-sqlite3';
import { type AccountKey, type Reservation, accountText } from '../../../core/ledger/account.ts';
import type { ReservedAmount } from '../../../core/ledger/after-settlement.ts';
import { MAX_PARTS } from '../../../core/ledger/rolling.ts';
import type { LedgerPart } from '../decision-store.ts';
import { type StoredReservation, requireDistinct } from '../reserves.ts';
import type { LogWriter } from './log.ts';

/** Key of an account in its table: an unused window is 0, an unused user empty. */
type Key = [kind: string, id: string, window: number, user: string];

interface AccountRow {
  accountId: number;
  held: string;
}

/**
 * Accounts and decisions' reservations, inside the transactions of its callers, which end with `save`. Amounts are
 * bigint.
 */
export interface Ledger {
  /** Amount that all decisions together hold in the account, or in the counted buckets of its rolling window. */
  readonly heldBy: (part: LedgerPart) => bigint;
  /** True if another account of its kind and id exists, even an empty one. */
  hasOther(account: AccountKey): boolean;
  /**
   * Adds a decision's reservations to their accounts. `before`: the accounts' amounts, in the same order.
   *
   * @returns what the decision keeps of them
   */
  reserve(reservations: readonly Reservation[], before: readonly bigint[]): StoredReservation[];
  /** Reserves without a decision, until released or until the store opens again. */
  hold(reservations: readonly Reservation[]): number[];
  release(holds: readonly number[]): void;
  /** Adds to the accounts of a decision what `change` says of each reservation. */
  adjust(reservations: readonly StoredReservation[], change: (reservation: ReservedAmount) => bigint): void;
  /** Writes the accounts that the transaction changed. It runs last in every transaction. */
  save(): void;
  /** Reads every account again: the transaction was undone. */
  forget(): void;
  /** Grows with every adjustment that returns an amount to a tank, and on request. */
  version(): number;
  /** Makes pending decisions read everything again. */
  readonly advanceLedger: () => void;
}

const keyOf = ({ kind, id, window = 0, user = '' }: AccountKey): Key => [kind, id, window, user];

/** An account in memory. */
interface CachedAccount {
  held: bigint;
  /** Undefined until it is stored. */
  accountId: number | undefined;
}

/** Accounts in memory: 256 bytes each, measured with keys of limits per user. */
const MAX_CACHED = 100_000;

/**
 * Accounts are counters, never sums over history. Those in use are in memory; what a transaction changes is written by
 * `save` before its end.
 */
const createAccounts = (database: Database.Database, maxCached: number) => {
  const find = database.prepare<Key, AccountRow>(
    'SELECT account_id AS accountId, held FROM ledger_account WHERE kind = ? AND id = ? AND window = ? AND user = ?',
  );
  const insert = database.prepare<[...Key, string]>(
    'INSERT INTO ledger_account (kind, id, window, user, held) VALUES (?, ?, ?, ?, ?)',
  );
  const held = database.prepare<[number], string>('SELECT held FROM ledger_account WHERE account_id = ?').pluck();
  const update = database.prepare<[string, number]>('UPDATE ledger_account SET held = ? WHERE account_id = ?');
  const users = database
    .prepare<[string, string], string>('SELECT user FROM ledger_account WHERE kind = ? AND id = ? LIMIT 2')
    .pluck();
  /**
   * Up to two users of a kind and id, until one is added. Only buckets of rolling windows, which have no user, are
   * removed.
   */
  const known = new Map<string, readonly string[]>();
  const knownUsers = ({ kind, id }: AccountKey): readonly string[] => {
    const key = `${kind}:${id}`;
    const found = known.get(key) ?? users.all(kind, id);
    known.set(key, found);
    return found;
  };
  const byKey = new Map<string, CachedAccount>();
  const byId = new Map<number, CachedAccount>();
  const changed = new Set<CachedAccount>();
  const read = (account: AccountKey): CachedAccount => {
    const row = find.get(...keyOf(account));
    return row === undefined
      ? { held: 0n, accountId: undefined }
      : { held: BigInt(row.held), accountId: row.accountId };
  };
  /** What the transaction has looked up, by the key objects: a decision looks each up twice. */
  const lookedUp = new Map<AccountKey, CachedAccount>();
  const cached = (account: AccountKey): CachedAccount => {
    const seen = lookedUp.get(account);
    if (seen !== undefined) return seen;
    const { kind, id, window = 0, user = '' } = account;
    const key = `${kind}\n${id}\n${window}\n${user}`;
    const found = byKey.get(key) ?? read(account);
    byKey.set(key, found);
    if (found.accountId !== undefined) byId.set(found.accountId, found);
    lookedUp.set(account, found);
    return found;
  };
  const create = (account: AccountKey, amount: bigint): number => {
    known.delete(`${account.kind}:${account.id}`);
    const { lastInsertRowid } = insert.run(...keyOf(account), String(amount));
    return Number(lastInsertRowid);
  };
  const forget = (): void => {
    lookedUp.clear();
    byKey.clear();
    byId.clear();
    changed.clear();
    known.clear();
  };
  const save = (): void => {
    for (const { held: amount, accountId } of changed) {
      if (accountId !== undefined) update.run(String(amount), accountId);
    }
    changed.clear();
    lookedUp.clear();
    if (byKey.size > maxCached) forget();
  };
  return {
    forget,
    save,
    hasOther: (account: AccountKey): boolean => knownUsers(account).some((user) => user !== account.user),
    heldBy: (account: AccountKey): bigint => cached(account).held,
    /** Sets the amount of an account, created if missing. @returns its number */
    set(account: AccountKey, amount: bigint): number {
      const one = cached(account);
      one.held = amount;
      if (one.accountId !== undefined) {
        changed.add(one);
        return one.accountId;
      }
      one.accountId = create(account, amount);
      byId.set(one.accountId, one);
      return one.accountId;
    },
    add(accountId: number, amount: bigint): void {
      const one = byId.get(accountId);
      if (one === undefined) {
        update.run(String(BigInt(held.get(accountId) ?? '0') + amount), accountId);
        return;
      }
      one.held += amount;
      changed.add(one);
    },
    /** Adds to a bucket of a rolling window, which is read from the table. @returns true if it is new */
    addToBucket(account: AccountKey, amount: bigint): boolean {
      const { accountId, held: before } = read(account);
      if (accountId === undefined) create(account, amount);
      else update.run(String(before + amount), accountId);
      return accountId === undefined;
    },
  };
};

const createHolds = (database: Database.Database, accounts: ReturnType<typeof createAccounts>, log: LogWriter) => {
  const insert = database.prepare<[number, string]>('INSERT INTO ledger_hold (account_id, amount) VALUES (?, ?)');
  const take = database.prepare<[number], { accountId: number; amount: string }>(
    'DELETE FROM ledger_hold WHERE hold_id = ? RETURNING account_id AS accountId, amount',
  );
  const all = database.prepare<[], number>('SELECT hold_id FROM ledger_hold').pluck();
  const remove = (holds: readonly number[]): void => {
    for (const hold of holds) {
      const removed = take.get(hold);
      if (removed !== undefined) accounts.add(removed.accountId, -BigInt(removed.amount));
    }
  };
  // The owner of these holds is gone: the log's next start ends them.
  database.transaction(() => {
    remove(all.all());
    accounts.save();
  })();
  return {
    release(holds: readonly number[]): void {
      remove(holds);
      log.append('release', { holds: [...holds] });
    },
    hold: (reservations: readonly Reservation[]): number[] =>
      reservations.map(({ account, amount }) => {
        const accountId = accounts.set(account, accounts.heldBy(account) + amount);
        const { lastInsertRowid } = insert.run(accountId, String(amount));
        const hold = Number(lastInsertRowid);
        log.append('hold', { hold, account: accountText(account), amount: String(amount) });
        return hold;
      }),
  };
};

export const createLedger = (database: Database.Database, log: LogWriter, maxCached = MAX_CACHED): Ledger => {
  const accounts = createAccounts(database, maxCached);
  const parts = database
    .prepare<[string, string, number], string>(
      'SELECT held FROM ledger_account WHERE kind = ? AND id = ? AND window >= ?',
    )
    .pluck();
  const forgetOldest = database.prepare<[{ kind: string; id: string; since: number }]>(
    `DELETE FROM ledger_account WHERE kind = @kind AND id = @id AND window < @since AND window < (
       SELECT window FROM ledger_account WHERE kind = @kind AND id = @id
       ORDER BY window DESC LIMIT 1 OFFSET ${MAX_PARTS - 1})`,
  );
  const addPart = ({ account, amount }: Reservation, since: number): void => {
    if (accounts.addToBucket(account, amount)) forgetOldest.run({ kind: account.kind, id: account.id, since });
  };
  let version = 0;
  return {
    ...createHolds(database, accounts, log),
    heldBy({ account, since }) {
      if (since === undefined) return accounts.heldBy(account);
      const all = parts.all(account.kind, account.id, since);
      return all.reduce((sum, held) => sum + BigInt(held), 0n);
    },
    hasOther: accounts.hasOther,
    save: accounts.save,
    forget: accounts.forget,
    version: () => version,
    advanceLedger() {
      version += 1;
    },
    reserve(reservations, before) {
      const kept: StoredReservation[] = [];
      for (const [index, reservation] of reservations.entries()) {
        const { account, kind: follows, amount: reserved, since, ofWei } = reservation;
        if (since !== undefined) {
          addPart(reservation, since);
          continue;
        }
        const accountId = accounts.set(account, (before[index] ?? accounts.heldBy(account)) + reserved);
        const share = ofWei === undefined ? {} : { ofWei };
        kept.push({ accountId, accountKind: account.kind, follows, reserved, ...share });
      }
      requireDistinct(kept.map(({ accountId }) => accountId));
      return kept;
    },
    adjust(reservations, change) {
      for (const reservation of reservations) {
        const difference = change(reservation);
        if (difference === 0n) continue;
        if (reservation.follows === 'tank') version += 1;
        accounts.add(reservation.accountId, difference);
      }
    },
  };
};
