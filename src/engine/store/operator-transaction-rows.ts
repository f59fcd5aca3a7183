import type { OperatorTransaction } from './operator-transaction-store.ts';

export interface TransactionRow {
  record: string;
}

/** Number of transactions to list: more than anyone reads. */
export const MAX_LISTED_TRANSACTIONS = 500;

export const toTransaction = ({ record }: TransactionRow): OperatorTransaction =>
  JSON.parse(record) as OperatorTransaction;

/** Not complete: not final, or its effects are not applied yet. */
export const isOpen = ({ final, outcome }: OperatorTransaction): boolean => !final || outcome === null;
