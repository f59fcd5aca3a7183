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

/** A place between a DApp's operations: after the one with this time (epoch ms) and this `seq`. */
export interface PaidPlace {
  readonly at: number;
  /** Below 0: before all operations of that time. */
  readonly seq: number;
}
