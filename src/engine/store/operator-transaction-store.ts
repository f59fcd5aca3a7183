import type { TransactionQuery, TransactionView } from '../../api/transactions.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { Holds } from './decision-store.ts';

/** A transaction of the operator's: the answer of `transactions.list`, and what follows it up needs besides. */
export interface OperatorTransaction extends TransactionView {
  /** Of the contract that it makes or changes, or in which the tank is. */
  version: string;
  data: Hex;
  nonce: number;
  /** As it was signed; null where the wallet sent it itself, and keeps that to itself. */
  raw: Hex | null;
  /** The address that the contract accepts from then on; null where it is about something else. */
  signer: Address | null;
  /** True once no re-org is expected to change what became of it. */
  final: boolean;
}

/** What the operator sent to chains. Part of the store. */
export interface OperatorTransactionStore {
  /**
   * Adds the transaction, or replaces what is known of it.
   *
   * @param holds what is set aside for it
   * @returns false, with nothing written, where one of `holds` has ended
   */
  saveOperatorTransaction(transaction: OperatorTransaction, holds?: Holds): Promise<boolean>;
  /** For one that the chain refused: it was never sent. */
  removeOperatorTransaction(transactionId: string): Promise<void>;
  /** Newest first. */
  listOperatorTransactions(query: TransactionQuery): Promise<OperatorTransaction[]>;
  /** Those of which the outcome is not known yet, or may still change, oldest first. */
  openOperatorTransactions(): Promise<OperatorTransaction[]>;
}
