import type { SettlementState as Became } from '../../core/ledger/after-settlement.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';

/** What became of a decision. */
export interface Settled {
  settlement: Became;
  /** Wei; null unless it is settled. */
  actualCostWei: string | null;
  block: number | null;
}

/** What the EntryPoint's `UserOperationEvent` says of an operation that a paymaster of ours paid for. */
export interface MinedUserOperation {
  readonly userOpHash: Hex;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  /** False: the account's call reverted. It was paid for all the same. */
  readonly success: boolean;
  /** Wei the EntryPoint took from the paymaster contract's deposit, to the last one. */
  readonly actualGasCost: bigint;
  /** Wei the contract says it took from a gas tank; undefined where it says nothing. */
  readonly deductedWei?: bigint | undefined;
  /** Gas charged for; `actualGasCost / actualGasUsed` is the price paid per gas. */
  readonly actualGasUsed: bigint;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  /** Other hashes under which it was sponsored for sure, if under any; looked for where no decision has `userOpHash`. */
  readonly sponsoredHashes?: readonly Hex[];
}

/** An operation that was mined and that no decision fits for sure. */
export interface UnmatchedOperation {
  readonly mined: MinedUserOperation;
  /** How many decisions about its sender and nonce were reserved, and count at their maximum from now on. */
  readonly decisions: number;
}

/** What a range of blocks has brought about. */
export interface AppliedRange {
  /** How many decisions are reserved again. */
  readonly putBack: number;
  /** Operations that are unmatched since now. */
  readonly unmatched: readonly UnmatchedOperation[];
}

/** A decision that is still `reserved`, and what the EntryPoint lets be mined once. */
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

/** A range of blocks that was read to its end. */
export interface ScannedRange {
  readonly chainId: number;
  readonly fromBlock: number;
  /** May lie above the chain's head, where blocks that a re-org removed used to be. */
  readonly toBlock: number;
  /** Every operation of ours mined in `fromBlock` to `toBlock`. */
  readonly mined: readonly MinedUserOperation[];
  /** The chain's cursor from now on. It may go back. */
  readonly cursor: number;
}

/** Where settlement stands on one chain. */
export interface SettlementState {
  /** The last block that was read; undefined before the first. */
  readonly cursor: number | undefined;
  /** When the oldest decision that is still `reserved` was made, epoch ms; undefined if none is. */
  readonly oldestReservedAt: number | undefined;
  /** EntryPoints and paymaster contracts of the chain's sponsored decisions: those reserved or settled lately at least. */
  readonly entryPoints: readonly Address[];
  readonly paymasters: readonly Address[];
}

/** What settlement keeps. Each method is one atomic step, durable when its promise resolves. */
export interface SettlementStore {
  /** Chains that have a `reserved` decision or a cursor. */
  settlementChains(): Promise<number[]>;
  settlementState(chainId: number): Promise<SettlementState>;
  /** Those of the chain's mined operations whose hash no sponsored decision has. */
  operationsWithoutDecision(chainId: number, mined: readonly MinedUserOperation[]): Promise<MinedUserOperation[]>;
  /**
   * Makes the chain's decisions agree with the blocks of a range. Applied twice it changes nothing more. A range whose
   * `toBlock` is below its `fromBlock` has no blocks: what is `mined` counts, and nothing is taken back.
   * - The sponsored decision that has the hash of a mined one, or one of its `sponsoredHashes`, becomes `settled` at what
   *   it cost (`settledCost` in the core) and in its block, whatever it was before: what the chain says outdoes a release. It has that hash, too, from
   *   then on. Of several decisions with one hash (a request sent twice in one second) exactly one is settled: the one
   *   that is so already, else the oldest.
   * - An operation without such a decision is unmatched. One of the decisions about its EntryPoint, paymaster, sender and
   *   nonce has paid for it, and nobody knows which: those that are reserved all become `unconfirmed`, which counts
   *   their maximum as spent. Where there are none it is somebody else's.
   * - A decision that was settled or became unconfirmed by a block of the range, and that nothing in `mined` accounts
   *   for any more, goes back to `reserved`, at its maximum.
   */
  applySettlements(range: ScannedRange): Promise<AppliedRange>;
  /** How many decisions of the chain, made at `from` (epoch ms) or later, unmatched operations have left unconfirmed. */
  countUnmatched(chainId: number, from: number): Promise<number>;
  /** Sets the cursor of a chain on which there was nothing to look for. */
  moveSettlementCursor(chainId: number, cursor: number): Promise<void>;
  /** The chain's `reserved` decisions whose `validUntil` is smaller than `validUntilBefore`, by `validUntil` and `seq`. */
  openReservations(query: {
    chainId: number;
    /** Only those behind it in that order. */
    after: Pick<OpenReservation, 'validUntil' | 'seq'>;
    validUntilBefore: number;
    most: number;
  }): Promise<OpenReservation[]>;
  /**
   * Ends those of the decisions that are still `reserved`: `released` gives the reserved amount back, to the cycle it was
   * taken from; `unconfirmed` counts it as spent.
   *
   * @returns how many there were
   */
  endReservations(seqs: readonly number[], to: 'released' | 'unconfirmed'): Promise<number>;
}
