import { TIP_HOURS } from '../../../core/user-operation/believed-fees.ts';
import { type BaseFeeRow, type ChainFeeStore, type TipRow, toChainFees } from '../chain-fee-store.ts';
import type { Access } from './writer.ts';

const BASE_FEE = 'SELECT block, base_fee_wei AS "baseFeeWei", seen_at AS at FROM chain_base_fee WHERE chain_id = $1';
const TIPS = 'SELECT hour, lowest_wei AS "lowestWei" FROM chain_tip WHERE chain_id = $1 ORDER BY hour';
const SAVE_BASE_FEE = `INSERT INTO chain_base_fee (chain_id, block, base_fee_wei, seen_at)
  SELECT $1::bigint, $2::bigint, $3, $4::bigint WHERE EXISTS (SELECT FROM chain WHERE chain_id = $1)
  ON CONFLICT (chain_id) DO UPDATE
    SET block = excluded.block, base_fee_wei = excluded.base_fee_wei, seen_at = excluded.seen_at
    WHERE chain_base_fee.seen_at <= excluded.seen_at`;
const SAVE_TIP = `INSERT INTO chain_tip (chain_id, hour, lowest_wei)
  SELECT $1::bigint, $2::bigint, $3 WHERE EXISTS (SELECT FROM chain WHERE chain_id = $1)
  ON CONFLICT (chain_id, hour) DO UPDATE SET lowest_wei = excluded.lowest_wei
    WHERE chain_tip.lowest_wei::numeric > excluded.lowest_wei::numeric`;
const REMOVE_OLD = `DELETE FROM chain_tip WHERE chain_id = $1 AND hour <=
  (SELECT hour FROM chain_tip WHERE chain_id = $1 ORDER BY hour DESC LIMIT 1 OFFSET $2)`;

export const chainFeeStore = ({ rows, writer }: Pick<Access, 'rows' | 'writer'>): ChainFeeStore => ({
  async chainFees(chainId) {
    const [baseFee, tips] = await Promise.all([
      rows.get<BaseFeeRow>(BASE_FEE, [chainId]),
      rows.all<TipRow>(TIPS, [chainId]),
    ]);
    return toChainFees(baseFee, tips);
  },
  saveChainFees: (chainId, { baseFee, tip }) =>
    writer.run(async (tx) => {
      await tx.run(SAVE_BASE_FEE, [chainId, baseFee.block, String(baseFee.baseFeeWei), baseFee.at]);
      if (tip === undefined) return;
      await tx.run(SAVE_TIP, [chainId, tip.hour, String(tip.lowestWei)]);
      await tx.run(REMOVE_OLD, [chainId, TIP_HOURS]);
    }),
});
