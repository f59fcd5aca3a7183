import { type BaseFeeSighting, type HourlyTip, TIP_HOURS } from '../../../core/user-operation/believed-fees.ts';
import type { Access } from '../access.ts';

export interface ChainFees {
  /** Undefined before the first answer of a node. */
  readonly baseFee: BaseFeeSighting | undefined;
  /** The newest hours in which the chain was read, oldest first. */
  readonly tips: readonly HourlyTip[];
}

type BaseFeeRow = Omit<BaseFeeSighting, 'baseFeeWei'> & { readonly baseFeeWei: string };
type TipRow = Omit<HourlyTip, 'lowestWei'> & { readonly lowestWei: string };

const BASE_FEE = 'SELECT block, base_fee_wei, seen_at AS at FROM chain_base_fee WHERE chain_id = $1';
const TIPS = 'SELECT hour, lowest_wei FROM chain_tip WHERE chain_id = $1';
const REMOVE_OLD = `DELETE FROM chain_tip WHERE chain_id = $1 AND hour <=
  (SELECT hour FROM chain_tip WHERE chain_id = $1 ORDER BY hour DESC LIMIT 1 OFFSET ${TIP_HOURS})`;

/** Observed fees of chains. Removing a chain removes them. */
export const chainFeeStore = ({ rows, writeShared }: Access) => ({
  async chainFees(chainId: number): Promise<ChainFees> {
    const [baseFee, tips] = await Promise.all([
      rows.get<BaseFeeRow>(BASE_FEE, [chainId]),
      rows.all<TipRow>(`${TIPS} ORDER BY hour`, [chainId]),
    ]);
    return {
      baseFee: baseFee && { ...baseFee, baseFeeWei: BigInt(baseFee.baseFeeWei) },
      tips: tips.map(({ hour, lowestWei }) => ({ hour, lowestWei: BigInt(lowestWei) })),
    };
  },
  /**
   * Stores the base fee unless a later one is stored, and the tip unless a lower tip of the same hour is stored.
   * Removes all but the newest {@link TIP_HOURS} hours. Does nothing for a chain without settings.
   */
  saveChainFees: (
    chainId: number,
    { baseFee, tip }: { readonly baseFee: BaseFeeSighting; readonly tip: HourlyTip | undefined },
  ): Promise<void> =>
    writeShared(function* (tx) {
      if ((yield* tx.get('SELECT 1 FROM chain WHERE chain_id = $1', [chainId])) === undefined) return;
      const { block, baseFeeWei, at } = baseFee;
      if (((yield* tx.get<BaseFeeRow>(BASE_FEE, [chainId]))?.at ?? at) <= at) {
        const row = { chainId, block, baseFeeWei: String(baseFeeWei), seenAt: at };
        yield* tx.upsert('chain_base_fee', 'chain_id, block, base_fee_wei, seen_at', row, 'chain_id');
      }
      if (tip === undefined) return;
      const { hour, lowestWei } = tip;
      const known = yield* tx.get<TipRow>(`${TIPS} AND hour = $2`, [chainId, hour]);
      if (known !== undefined && BigInt(known.lowestWei) <= lowestWei) return;
      const row = { chainId, hour, lowestWei: String(lowestWei) };
      yield* tx.upsert('chain_tip', 'chain_id, hour, lowest_wei', row, 'chain_id, hour');
      yield* tx.run(REMOVE_OLD, [chainId]);
    }),
});

export type ChainFeeStore = ReturnType<typeof chainFeeStore>;
