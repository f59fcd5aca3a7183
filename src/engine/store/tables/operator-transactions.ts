import type { TransactionQuery } from '../../../api/transactions.ts';
import type { Holds } from '../decision-store.ts';
import type { OperatorTransaction } from '../operator-transaction-store.ts';
import type { Access } from '../access.ts';

/** Number of transactions to list: more than anyone reads. */
const MAX_LISTED = 500;

const SAVE = `INSERT INTO operator_transaction (id, chain_id, paymaster_id, open, record) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET open = excluded.open, record = excluded.record`;
const LIST = `SELECT record FROM operator_transaction
  WHERE (CAST($1 AS bigint) IS NULL OR chain_id = $1) AND (CAST($2 AS text) IS NULL OR paymaster_id = $2)
  ORDER BY seq DESC LIMIT ${MAX_LISTED}`;
const OPEN = 'SELECT record FROM operator_transaction WHERE open = 1 ORDER BY seq';

interface TransactionRow {
  readonly record: string;
}

const toTransaction = ({ record }: TransactionRow): OperatorTransaction => JSON.parse(record) as OperatorTransaction;

/** True for a transaction that is not final, or whose effects are not applied yet. */
const isOpen = ({ final, outcome }: OperatorTransaction): boolean => !final || outcome === null;

/** Withdrawals from tanks change the version of the ledger. */
export const operatorTransactionStore = ({ rows, write }: Access) => ({
  /**
   * Adds or replaces the transaction.
   *
   * @param holds ids of the holds for its amount
   * @returns false, with nothing written, if one of `holds` has ended
   */
  saveOperatorTransaction: (transaction: OperatorTransaction, holds: Holds = []): Promise<boolean> =>
    write(function* (tx) {
      for (const hold of holds) {
        if ((yield* tx.get('SELECT 1 FROM ledger_hold WHERE hold_id = $1', [hold])) === undefined) return false;
      }
      const { transactionId, chainId, paymasterId, kind } = transaction;
      const values = [transactionId, chainId, paymasterId, Number(isOpen(transaction)), JSON.stringify(transaction)];
      yield* tx.run(SAVE, values);
      if (kind === 'withdraw') tx.advanceLedger();
      return true;
    }),
  /** Removes a transaction that the chain refused and that was therefore never sent. */
  removeOperatorTransaction: (transactionId: string): Promise<void> =>
    write(function* (tx) {
      yield* tx.run('DELETE FROM operator_transaction WHERE id = $1', [transactionId]);
      tx.advanceLedger();
    }),
  /** Newest first. */
  async listOperatorTransactions({ chainId, paymasterId }: TransactionQuery) {
    return (await rows.all<TransactionRow>(LIST, [chainId ?? null, paymasterId ?? null])).map(toTransaction);
  },
  /** Transactions whose outcome is unknown or may still change, oldest first. */
  async openOperatorTransactions() {
    return (await rows.all<TransactionRow>(OPEN)).map(toTransaction);
  },
});
