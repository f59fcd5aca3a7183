import type { SettlementState as Became } from '../../core/ledger/after-settlement.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';

export interface DecisionSettlement {
  settlement: Became;
  /** Wei; null unless it is settled. */
  actualCostWei: string | null;
  block: number | null;
}

/** The EntryPoint's `UserOperationEvent` for an operation that one of Gasdesk's paymasters paid for. */
export interface MinedUserOperation {
  readonly userOpHash: Hex;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  /** False: the account's call reverted. The operation was nevertheless paid for. */
  readonly success: boolean;
  /** Exact amount, in wei, that the EntryPoint took from the paymaster contract's deposit. */
  readonly actualGasCost: bigint;
  /** Amount in wei that the contract reports as taken from a gas tank; undefined if it reports nothing. */
  readonly deductedWei?: bigint | undefined;
  /** The gas that was charged for. The price paid per gas is `actualGasCost / actualGasUsed`. */
  readonly actualGasUsed: bigint;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  /** Other hashes under which the operation was certainly sponsored. They are used if no decision has `userOpHash`. */
  readonly sponsoredHashes?: readonly Hex[];
}

/** A mined operation that belongs to no certain decision. */
export interface UnmatchedOperation {
  readonly mined: MinedUserOperation;
  /** Number of decisions with its sender and nonce that were reserved, and count at their maximum cost from now on. */
  readonly decisions: number;
}

export interface AppliedRange {
  readonly putBack: number;
  readonly unmatched: readonly UnmatchedOperation[];
}

/** A decision that is still `reserved`, with the identity of its operation. */
export interface OpenReservation {
  readonly seq: number;
  /** When it was made, epoch ms. */
  readonly at: number;
  /** Unix seconds; 0: it never expires. */
  readonly validUntil: number;
  readonly entryPoint: Address;
  readonly sender: Address;
  readonly nonce: bigint;
}

/** A range of blocks that was read completely. */
export interface ScannedRange {
  readonly chainId: number;
  readonly fromBlock: number;
  /** May be above the chain's head, if a re-org removed blocks. */
  readonly toBlock: number;
  /** Every operation of Gasdesk's paymasters that was mined from `fromBlock` to `toBlock`. */
  readonly mined: readonly MinedUserOperation[];
  /** New cursor of the chain. It may be lower than the previous one. */
  readonly cursor: number;
}

export interface SettlementState {
  /** The last block that was read; undefined before the first. */
  readonly cursor: number | undefined;
  /** When the oldest decision that is still `reserved` was made, epoch ms; undefined if none is. */
  readonly oldestReservedAt: number | undefined;
  /**
   * EntryPoints and paymaster contracts of the chain's sponsored decisions, at least of those that are reserved or were
   * recently settled.
   */
  readonly entryPoints: readonly Address[];
  readonly paymasters: readonly Address[];
}
