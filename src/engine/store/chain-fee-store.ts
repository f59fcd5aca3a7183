import type { BaseFeeSighting, HourlyTip } from '../../core/user-operation/believed-fees.ts';

export interface ChainFees {
  /** Undefined before the first answer of a node. */
  readonly baseFee: BaseFeeSighting | undefined;
  /** The newest hours in which the chain was read, oldest first. */
  readonly tips: readonly HourlyTip[];
}

/** Observed fees of a chain. Removing the chain removes them. */
export interface ChainFeeStore {
  chainFees(chainId: number): Promise<ChainFees>;
  /**
   * Stores the base fee unless a later one is stored, and the tip unless a lower tip of the same hour is stored.
   * Removes all but the newest {@link TIP_HOURS} hours. Does nothing for a chain without settings.
   */
  saveChainFees(chainId: number, seen: { baseFee: BaseFeeSighting; tip: HourlyTip | undefined }): Promise<void>;
}
