import type { TransactionQuery, TransactionView } from '../../api/transactions.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { Holds } from './decision-store.ts';

/** A transaction of the operator: the output of `transactions.list`, and the data needed to follow it. */
export interface OperatorTransaction extends TransactionView {
  /** Version of the contract that the transaction creates or changes, or that contains the tank. */
  version: string;
  data: Hex;
  nonce: number;
  /** The signed transaction; null if the wallet sent it itself and did not return it. */
  raw: Hex | null;
  /** The address that the contract accepts from then on; null for other transactions. */
  signer: Address | null;
  /** True once no re-org is expected to change its result. */
  final: boolean;
}

export interface OperatorTransactionStore {
  /**
   * Adds or replaces the transaction.
   *
   * @param holds ids of the holds for its amount
   * @returns false, with nothing written, if one of `holds` has ended
   */
  saveOperatorTransaction(transaction: OperatorTransaction, holds?: Holds): Promise<boolean>;
  /** Removes a transaction that the chain refused and that was therefore never sent. */
  removeOperatorTransaction(transactionId: string): Promise<void>;
  /** Newest first. */
  listOperatorTransactions(query: TransactionQuery): Promise<OperatorTransaction[]>;
  /** Transactions whose outcome is unknown or may still change, oldest first. */
  openOperatorTransactions(): Promise<OperatorTransaction[]>;
}
