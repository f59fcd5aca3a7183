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

/** Each method is one atomic step unless it says otherwise, durable when its promise resolves. */
export interface SettlementStore {
  /** Chains with a `reserved` decision or a cursor. */
  settlementChains(): Promise<number[]>;
  settlementState(chainId: number): Promise<SettlementState>;
  /** Mined operations whose hash belongs to no sponsored decision of the chain. */
  operationsWithoutDecision(chainId: number, mined: readonly MinedUserOperation[]): Promise<MinedUserOperation[]>;
  /**
   * Makes the chain's decisions agree with the blocks of a range. It is idempotent. If much was mined, it takes several
   * steps, some blocks each, so that decisions do not wait for all of it; the last step sets the cursor. A range whose
   * `toBlock` is below its `fromBlock` has no blocks: `mined` counts, and nothing is taken back.
   * - The sponsored decision with the hash of a mined operation, or one of its `sponsoredHashes`, becomes `settled` at
   *   its cost (`settledCost` in the core) and in its block, whatever it was before: the chain overrides a release. It
   *   keeps that hash too. If several decisions of a DApp have one hash (a request sent twice in one second), exactly
   *   one is settled: the one that already is, else the oldest. If several DApps have decisions with one hash that are
   *   not released, one of each DApp becomes `unconfirmed`: the chain does not show which of them paid.
   * - An operation without such a decision is unmatched. One of the decisions about its EntryPoint, paymaster, sender
   *   and nonce has paid for it, but it is unknown which. All reserved ones become `unconfirmed`, which counts their
   *   maximum as spent. Without any, the operation is not ours.
   * - A decision that a block of the range settled or made unconfirmed, and that nothing in `mined` accounts for any
   *   more, returns to `reserved`, at its maximum.
   */
  applySettlements(range: ScannedRange): Promise<AppliedRange>;
  /**
   * Number of the chain's decisions from `from` (epoch ms) on that are unconfirmed because of a mined operation without
   * a certain decision.
   */
  countUnmatched(chainId: number, from: number): Promise<number>;
  /** Sets the cursor of a chain that needs no scan. */
  moveSettlementCursor(chainId: number, cursor: number): Promise<void>;
  /** The chain's `reserved` decisions with a `validUntil` below `validUntilBefore`, by `validUntil` and `seq`. */
  openReservations(query: {
    chainId: number;
    /** Returns only reservations after this one in that order. */
    after: Pick<OpenReservation, 'validUntil' | 'seq'>;
    validUntilBefore: number;
    most: number;
  }): Promise<OpenReservation[]>;
  /**
   * Ends the reservations of those decisions that are still `reserved`, in several steps if they are many. `released`
   * returns the reserved amount to the cycle from which it was taken; `unconfirmed` counts it as spent.
   *
   * @returns the number of ended reservations
   */
  endReservations(seqs: readonly number[], to: 'released' | 'unconfirmed'): Promise<number>;
}
