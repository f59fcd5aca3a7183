import { isOpen, MAX_LISTED_TRANSACTIONS, toTransaction, type TransactionRow } from '../operator-transaction-rows.ts';
import type { OperatorTransactionStore } from '../operator-transaction-store.ts';
import type { Access } from './writer.ts';

const SAVE = `INSERT INTO operator_transaction (id, chain_id, paymaster_id, open, record) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET open = excluded.open, record = excluded.record`;
const LIST = `SELECT record FROM operator_transaction
  WHERE ($1::bigint IS NULL OR chain_id = $1) AND ($2::text IS NULL OR paymaster_id = $2)
  ORDER BY seq DESC LIMIT ${MAX_LISTED_TRANSACTIONS}`;

/** Withdrawals from tanks change the ledger. */
export const operatorTransactionStore = ({ rows, writer }: Omit<Access, 'cache'>): OperatorTransactionStore => ({
  saveOperatorTransaction: (transaction, holds = []) =>
    writer.run(async (tx) => {
      const held = await tx.all('SELECT 1 FROM ledger_hold WHERE hold_id = ANY($1::bigint[])', [[...holds]]);
      if (held.length < holds.length) return false;
      const { transactionId, chainId, paymasterId, kind } = transaction;
      const values = [transactionId, chainId, paymasterId, Number(isOpen(transaction)), JSON.stringify(transaction)];
      await tx.run(SAVE, values);
      if (kind === 'withdraw') tx.advanceLedger();
      return true;
    }),
  removeOperatorTransaction: (transactionId) =>
    writer.run(async (tx) => {
      await tx.run('DELETE FROM operator_transaction WHERE id = $1', [transactionId]);
      tx.advanceLedger();
    }),
  async listOperatorTransactions({ chainId = null, paymasterId = null }) {
    return (await rows.all<TransactionRow>(LIST, [chainId, paymasterId])).map(toTransaction);
  },
  async openOperatorTransactions() {
    const found = await rows.all<TransactionRow>('SELECT record FROM operator_transaction WHERE open = 1 ORDER BY seq');
    return found.map(toTransaction);
  },
});
