import type Database from 'better-sqlite3';
import type { Address } from '../../../shared/schema/hex.ts';
import type { MinedUserOperation, ScannedRange, SettlementStore } from '../settlement-store.ts';
import type { GroupCommit } from './group-commit.ts';
import { createHashIndex } from './hash-index.ts';
import type { Ledger } from './ledger.ts';

interface SettledRow {
  seq: number;
  hash: string;
}

/** Settlement in SQLite: what the chain says of each decision, and what it still holds of the ledger. */
export const settlementStore = (database: Database.Database, ledger: Ledger, commit: GroupCommit): SettlementStore => {
  const hashes = createHashIndex(database);
  const chains = database.prepare<[], { chainId: number }>(
    `SELECT chain_id AS chainId FROM chain_cursor UNION SELECT DISTINCT chain_id FROM watched_paymaster`,
  );
  const cursor = database.prepare<[number], { block: number }>('SELECT block FROM chain_cursor WHERE chain_id = ?');
  const setCursor = database.prepare<[number, number]>(
    'INSERT INTO chain_cursor VALUES (?, ?) ON CONFLICT DO UPDATE SET block = excluded.block',
  );
  const oldest = database.prepare<[number], { at: number }>(
    `SELECT at FROM decision WHERE chain_id = ? AND settlement = 'reserved' ORDER BY seq LIMIT 1`,
  );
  const watched = database.prepare<[number], { entryPoint: Address; paymaster: Address }>(
    'SELECT entry_point AS entryPoint, paymaster FROM watched_paymaster WHERE chain_id = ?',
  );
  const settledIn = database.prepare<[number, number, number], SettledRow>(
    `SELECT seq, user_op_hash AS hash FROM decision WHERE chain_id = ? AND settled_block BETWEEN ? AND ?`,
  );
  const setSettlement = database.prepare<[string, string | null, number | null, number]>(
    'UPDATE decision SET settlement = ?, actual_cost_wei = ?, settled_block = ? WHERE seq = ?',
  );
  const overdue = database.prepare<[number, number], { seq: number }>(
    `SELECT seq FROM decision
     WHERE chain_id = ? AND settlement = 'reserved' AND valid_until < ? AND valid_until <> 0`,
  );

  const putBack = (seq: number): void => {
    setSettlement.run('reserved', null, null, seq);
    ledger.adjust(seq, (_kind, reserved) => reserved);
  };
  const settle = (chainId: number, { userOpHash, actualGasCost, blockNumber }: MinedUserOperation): void => {
    const seq = hashes.find(userOpHash.toLowerCase(), chainId);
    if (seq === undefined) return;
    setSettlement.run('settled', String(actualGasCost), blockNumber, seq);
    const actual = { tank: () => 0n, count: (reserved: bigint) => reserved, spend: () => actualGasCost };
    ledger.adjust(seq, (kind, reserved) => actual[kind](reserved));
  };
  const applyRange = ({ chainId, fromBlock, toBlock, mined, cursor: block }: ScannedRange): number => {
    const present = new Set(mined.map(({ userOpHash }) => userOpHash.toLowerCase()));
    const gone = settledIn.all(chainId, fromBlock, toBlock).filter(({ hash }) => !present.has(hash));
    for (const { seq } of gone) putBack(seq);
    for (const operation of mined) settle(chainId, operation);
    setCursor.run(chainId, block);
    return gone.length;
  };

  return {
    async settlementChains() {
      return chains.all().map(({ chainId }) => chainId);
    },
    async settlementState(chainId) {
      const pairs = watched.all(chainId);
      return {
        cursor: cursor.get(chainId)?.block,
        oldestReservedAt: oldest.get(chainId)?.at,
        entryPoints: [...new Set(pairs.map(({ entryPoint }) => entryPoint))],
        paymasters: [...new Set(pairs.map(({ paymaster }) => paymaster))],
      };
    },
    async applySettlements(range) {
      const { mined } = range;
      // A lot of hashes at a time, so that decisions are stored in between.
      const apply = () => commit.run(() => (mined.length === 0 || hashes.catchUp() ? applyRange(range) : undefined));
      let gone = await apply();
      while (gone === undefined) gone = await apply();
      return gone;
    },
    moveSettlementCursor: (chainId, block) =>
      commit.run(() => {
        setCursor.run(chainId, block);
      }),
    expireReservations: ({ chainId, validUntilBefore, to }) =>
      commit.run(() => {
        const expired = overdue.all(chainId, validUntilBefore);
        for (const { seq } of expired) {
          setSettlement.run(to, null, null, seq);
          // What nobody could look up counts as spent; the tank's own balance tells what it has left.
          ledger.adjust(seq, (kind, reserved) => (to === 'released' || kind === 'tank' ? 0n : reserved));
        }
        return expired.length;
      }),
  };
};
