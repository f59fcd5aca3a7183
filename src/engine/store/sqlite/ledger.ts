import type Database from 'better-sqlite3';
import type { AccountRow, Claim, ClaimKind } from '../store.ts';

/** What one decision holds of one account. */
interface ClaimRow {
  key: string;
  kind: ClaimKind;
  reserved: string;
  held: string;
}

/** Accounts and what decisions hold of them; runs inside the transactions of its callers. Amounts are bigint. */
export interface Ledger {
  /** What all decisions together hold of the account that is claimed from, or of all that count in its row. */
  readonly held: (claim: Claim) => bigint;
  /** Adds the claims of a decision. `held` is what their accounts hold before, in the same order. */
  reserve(seq: number, claims: readonly Claim[], held: readonly bigint[]): void;
  /** Holds claims until the function it returns is called, or the process ends. */
  hold(claims: readonly Claim[]): () => void;
  /** Replaces what a decision holds by what `amount` says of each claim. */
  adjust(seq: number, amount: (kind: ClaimKind, reserved: bigint) => bigint): void;
  /** Grows with every adjustment that gives back to a tank, and when it is told to. */
  settlements(): number;
  /** Lets decisions on their way look at everything anew. */
  readonly outdate: () => void;
}

/** Sorts behind every character of a key. */
const AFTER_ALL = '~';

/** The ledger in SQLite: counters, never sums over history. */
export const createLedger = (database: Database.Database): Ledger => {
  const account = database.prepare<[string], { held: string }>('SELECT held FROM ledger_account WHERE account_key = ?');
  const row = database
    .prepare<[string, string], string>('SELECT held FROM ledger_account WHERE account_key >= ? AND account_key < ?')
    .pluck();
  const forget = database.prepare<[string, string]>(
    'DELETE FROM ledger_account WHERE account_key >= ? AND account_key < ?',
  );
  const set = database.prepare<[string, string]>(
    'INSERT INTO ledger_account VALUES (?, ?) ON CONFLICT DO UPDATE SET held = excluded.held',
  );
  const insert = database.prepare<[number, string, ClaimKind, string, string]>(
    'INSERT INTO ledger_claim VALUES (?, ?, ?, ?, ?)',
  );
  const claims = database.prepare<[number], ClaimRow>(
    'SELECT account_key AS key, kind, reserved, held FROM ledger_claim WHERE decision_seq = ?',
  );
  const update = database.prepare<[string, number, string]>(
    'UPDATE ledger_claim SET held = ? WHERE decision_seq = ? AND account_key = ?',
  );

  const heldAlone = (key: string): bigint => BigInt(account.get(key)?.held ?? '0');
  const heldInRow = ({ prefix, from }: AccountRow): bigint =>
    row.all(prefix + from, prefix + AFTER_ALL).reduce((sum, held) => sum + BigInt(held), 0n);
  const onHold = new Map<string, bigint>();
  const holdMore = (key: string, amount: bigint): void => {
    const after = (onHold.get(key) ?? 0n) + amount;
    if (after === 0n) onHold.delete(key);
    else onHold.set(key, after);
  };
  let settlements = 0;
  return {
    held: ({ key, row: counted }) =>
      counted === undefined ? heldAlone(key) + (onHold.get(key) ?? 0n) : heldInRow(counted),
    settlements: () => settlements,
    outdate() {
      settlements += 1;
    },
    reserve(seq, taken, before) {
      for (const [index, { key, kind, amount, row: counted }] of taken.entries()) {
        if (counted !== undefined) {
          set.run(key, String(heldAlone(key) + amount));
          forget.run(counted.prefix, counted.prefix + counted.from);
          continue;
        }
        set.run(key, String((before[index] ?? 0n) - (onHold.get(key) ?? 0n) + amount));
        insert.run(seq, key, kind, String(amount), String(amount));
      }
    },
    hold(claimed) {
      for (const { key, amount } of claimed) holdMore(key, amount);
      return () => {
        for (const { key, amount } of claimed) holdMore(key, -amount);
      };
    },
    adjust(seq, amountOf) {
      for (const { key, kind, reserved, held: before } of claims.all(seq)) {
        const after = amountOf(kind, BigInt(reserved));
        if (String(after) === before) continue;
        update.run(String(after), seq, key);
        if (kind === 'tank') settlements += 1;
        set.run(key, String(heldAlone(key) + after - BigInt(before)));
      }
    },
  };
};
