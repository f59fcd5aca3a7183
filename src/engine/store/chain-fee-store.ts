import type { BaseFeeSighting, HourlyTip } from '../../core/user-operation/believed-fees.ts';

/** What a chain's base fee and tips were. */
export interface ChainFees {
  /** Undefined where no node answered before. */
  readonly baseFee: BaseFeeSighting | undefined;
  /** The newest hours in which the chain was read, oldest first. */
  readonly tips: readonly HourlyTip[];
}

/** What was seen of a chain's fees. Removing the chain removes it. */
export interface ChainFeeStore {
  chainFees(chainId: number): Promise<ChainFees>;
  /**
   * Keeps the base fee unless a later sighting is kept, and the tip unless a lower one of its hour is kept. Hours beyond
   * the newest {@link TIP_HOURS} are removed. Nothing is kept of a chain that has no settings.
   */
  saveChainFees(chainId: number, seen: { baseFee: BaseFeeSighting; tip: HourlyTip | undefined }): Promise<void>;
}

/** A base fee as it is stored. */
export interface BaseFeeRow {
  block: number;
  baseFeeWei: string;
  at: number;
}

/** An hour's tip as it is stored. */
export interface TipRow {
  hour: number;
  lowestWei: string;
}

/** The fees of a chain's rows. */
export const toChainFees = (baseFee: BaseFeeRow | undefined, tips: readonly TipRow[]): ChainFees => ({
  baseFee: baseFee && { ...baseFee, baseFeeWei: BigInt(baseFee.baseFeeWei) },
  tips: tips.map(({ hour, lowestWei }) => ({ hour, lowestWei: BigInt(lowestWei) })),
});
