import type { TransactionView } from '../../api/transactions.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';

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
