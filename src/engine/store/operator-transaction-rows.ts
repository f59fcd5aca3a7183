import type { OperatorTransaction } from './operator-transaction-store.ts';

/** A transaction as it is stored. */
export interface TransactionRow {
  record: string;
}

/** How many are listed: more than anybody reads. */
export const MOST = 500;

/** The transaction of a row. */
export const toTransaction = ({ record }: TransactionRow): OperatorTransaction =>
  JSON.parse(record) as OperatorTransaction;

/** Not followed up to its end: not mined for good, or what it is to bring about is not done yet. */
export const isOpen = ({ final, outcome }: OperatorTransaction): boolean => !final || outcome === null;
