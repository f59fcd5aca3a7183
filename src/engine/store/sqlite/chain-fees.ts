import type Database from 'better-sqlite3';
import { TIP_HOURS } from '../../../core/user-operation/believed-fees.ts';
import { type BaseFeeRow, type ChainFeeStore, type TipRow, toChainFees } from '../chain-fee-store.ts';
import type { GroupCommit } from './group-commit.ts';

export const chainFeeStore = (database: Database.Database, commit: GroupCommit): ChainFeeStore => {
  const baseFee = database.prepare<[number], BaseFeeRow>(
    'SELECT block, base_fee_wei AS baseFeeWei, seen_at AS at FROM chain_base_fee WHERE chain_id = ?',
  );
  const tips = database.prepare<[number], TipRow>(
    'SELECT hour, lowest_wei AS lowestWei FROM chain_tip WHERE chain_id = ? ORDER BY hour',
  );
  const tip = database.prepare<[number, number], TipRow>(
    'SELECT hour, lowest_wei AS lowestWei FROM chain_tip WHERE chain_id = ? AND hour = ?',
  );
  const hasSettings = database.prepare<[number]>('SELECT 1 FROM chain WHERE chain_id = ?');
  const saveBaseFee = database.prepare('INSERT OR REPLACE INTO chain_base_fee VALUES (?, ?, ?, ?)');
  const saveTip = database.prepare('INSERT OR REPLACE INTO chain_tip VALUES (?, ?, ?)');
  const removeOld = database.prepare<[{ chainId: number; most: number }]>(
    `DELETE FROM chain_tip WHERE chain_id = @chainId AND hour <=
       (SELECT hour FROM chain_tip WHERE chain_id = @chainId ORDER BY hour DESC LIMIT 1 OFFSET @most)`,
  );

  return {
    async chainFees(chainId) {
      return toChainFees(baseFee.get(chainId), tips.all(chainId));
    },
    saveChainFees: (chainId, seen) =>
      commit.run(() => {
        if (hasSettings.get(chainId) === undefined) return;
        const { block, baseFeeWei, at } = seen.baseFee;
        if ((baseFee.get(chainId)?.at ?? at) <= at) saveBaseFee.run(chainId, block, String(baseFeeWei), at);
        if (seen.tip === undefined) return;
        const { hour, lowestWei } = seen.tip;
        const known = tip.get(chainId, hour);
        if (known !== undefined && BigInt(known.lowestWei) <= lowestWei) return;
        saveTip.run(chainId, hour, String(lowestWei));
        removeOld.run({ chainId, most: TIP_HOURS });
      }),
  };
};
