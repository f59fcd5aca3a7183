import type { Address, Hex } from '../../shared/schema/hex.ts';

/** What the EntryPoint's `UserOperationEvent` says of an operation that a paymaster of ours paid for. */
export interface MinedUserOperation {
  readonly userOpHash: Hex;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  /** False: the account's call reverted. It was paid for all the same. */
  readonly success: boolean;
  /**
   * Wei the EntryPoint took from the paymaster contract's deposit, to the last one. What the contract then takes from
   * a gas tank is its layout's affair and may be more.
   */
  readonly actualGasCost: bigint;
  /** Gas charged for; `actualGasCost / actualGasUsed` is the price paid per gas. */
  readonly actualGasUsed: bigint;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
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
  /**
   * Makes the chain's decisions agree with the blocks of a range. Applied twice it changes nothing more.
   * - A decision settled in a block of the range that is not among `mined` goes back to `reserved`, at its maximum.
   * - The sponsored decision that has the hash of a mined one becomes `settled` at its cost and in its block, whatever
   *   it was before: what the chain says outdoes a release. Of several decisions with one hash (a request sent twice
   *   in one second) exactly one is: the one settled already, else the oldest.
   * - No paymaster signs all that the hash covers (the delegate of an EIP-7702 account for one), so the same
   *   sponsorship can be mined under another hash: without a decision of that hash, the oldest `reserved` one of the
   *   same EntryPoint, paymaster, sender and nonce becomes `settled`, and has that hash, too, from then on.
   * - An operation that no decision fits is ignored.
   *
   * @returns how many decisions it put back
   */
  applySettlements(range: ScannedRange): Promise<number>;
  /** Sets the cursor of a chain on which there was nothing to look for. */
  moveSettlementCursor(chainId: number, cursor: number): Promise<void>;
  /**
   * Ends the chain's `reserved` decisions whose `validUntil` (unix s, 0: never) is smaller than `validUntilBefore`:
   * `released` gives the reserved amount back, to the cycle it was taken from; `unconfirmed` counts it as spent.
   *
   * @returns how many there were
   */
  expireReservations(expiry: {
    chainId: number;
    validUntilBefore: number;
    to: 'released' | 'unconfirmed';
  }): Promise<number>;
}
