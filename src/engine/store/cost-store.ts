import type { OperationReceipt } from '../../core/costs/cost-report.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';

/** A settled operation whose receipt has not been read. */
export interface OperationWithoutReceipt {
  readonly seq: number;
  readonly transactionHash: Hex;
  readonly blockHash: Hex;
}

/** What the receipt of a transaction says of the operation with this `seq`. */
export interface ReadReceipt extends Pick<OperationReceipt, 'bundle' | 'coinUsd'> {
  readonly seq: number;
  /** The block that the receipt names. */
  readonly blockHash: Hex;
  readonly bundler: Address;
}

export interface CostQuery {
  readonly paymasterId?: string | undefined;
  /** Decisions at this time (epoch ms) or later. */
  readonly from?: number | undefined;
  /** Decisions before this time (epoch ms). */
  readonly to?: number | undefined;
}
