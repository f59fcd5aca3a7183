import { type Reservation, accountText } from '../../../core/ledger/account.ts';
import type { Transaction } from '../access.ts';
import type { StepRows, Steps } from '../rows.ts';

const INSERT = 'INSERT INTO ledger_hold (account_id, amount, engine) VALUES ($1, $2, $3) RETURNING hold_id AS hold';

const END = 'DELETE FROM ledger_hold WHERE hold_id = ANY($1::bigint[]) RETURNING hold_id AS hold, account_id, amount';

/** Reserves without a decision, until released. @param engine the owner of the hold */
export const holdReservations = function* (
  tx: Transaction,
  reservations: readonly Reservation[],
  engine: number,
): Steps<number[]> {
  const holds: number[] = [];
  for (const { account, amount } of reservations) {
    const accountId = tx.ledger.add(account, amount);
    const { hold } = (yield* tx.get<{ hold: number }>(INSERT, [accountId, String(amount), engine])) ?? { hold: 0 };
    tx.log.append('hold', { hold, account: accountText(account), amount: String(amount) });
    holds.push(hold);
  }
  return holds;
};

/** Ends holds without appending an entry to the log. @returns the holds that existed */
export const endHolds = function* (
  tx: StepRows & Pick<Transaction, 'ledger'>,
  holds: readonly number[],
): Steps<number[]> {
  const ended = yield* tx.all<{ hold: number; accountId: number; amount: string }>(END, [[...holds]]);
  yield* tx.ledger.adjust(
    tx,
    ended.map(({ accountId, amount }) => ({ accountId, amount: -BigInt(amount) })),
  );
  return ended.map(({ hold }) => hold).sort((a, b) => a - b);
};

export const releaseHolds = function* (tx: Transaction, holds: readonly number[]): Steps<void> {
  const ended = yield* endHolds(tx, holds);
  if (ended.length > 0) tx.log.append('release', { holds: ended });
};
