import type Database from 'better-sqlite3';
import {
  isOpen,
  MAX_LISTED_TRANSACTIONS,
  type TransactionRow as Row,
  toTransaction,
} from '../operator-transaction-rows.ts';
import type { OperatorTransactionStore } from '../operator-transaction-store.ts';

/** The operator's transactions. `advanceLedger` is called with every change of withdrawals from tanks. */
export const operatorTransactionStore = (
  database: Database.Database,
  advanceLedger: () => void,
): OperatorTransactionStore => {
  const save = database.prepare(
    `INSERT INTO operator_transaction (id, chain_id, paymaster_id, open, record)
     VALUES (@id, @chainId, @paymasterId, @open, @record)
     ON CONFLICT (id) DO UPDATE SET open = excluded.open, record = excluded.record`,
  );
  const remove = database.prepare<[string]>('DELETE FROM operator_transaction WHERE id = ?');
  const list = database.prepare<[{ chainId: number | null; paymasterId: string | null }], Row>(
    `SELECT record FROM operator_transaction
     WHERE (@chainId IS NULL OR chain_id = @chainId) AND (@paymasterId IS NULL OR paymaster_id = @paymasterId)
     ORDER BY seq DESC LIMIT ${MAX_LISTED_TRANSACTIONS}`,
  );
  const open = database.prepare<[], Row>('SELECT record FROM operator_transaction WHERE open = 1 ORDER BY seq');

  return {
    async saveOperatorTransaction(transaction, holds = []) {
      const isHeld = database.prepare<[number]>('SELECT 1 FROM ledger_hold WHERE hold_id = ?');
      if (holds.some((hold) => isHeld.get(hold) === undefined)) return false;
      const { transactionId: id, chainId, paymasterId, kind } = transaction;
      const record = JSON.stringify(transaction);
      save.run({ id, chainId, paymasterId, open: Number(isOpen(transaction)), record });
      if (kind === 'withdraw') advanceLedger();
      return true;
    },
    async removeOperatorTransaction(transactionId) {
      remove.run(transactionId);
      advanceLedger();
    },
    async listOperatorTransactions({ chainId = null, paymasterId = null }) {
      return list.all({ chainId, paymasterId }).map(toTransaction);
    },
    async openOperatorTransactions() {
      return open.all().map(toTransaction);
    },
  };
};
