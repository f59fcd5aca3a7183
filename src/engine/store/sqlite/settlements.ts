import type Database from 'better-sqlite3';
import { type Address, addressKey } from '../../../shared/schema/hex.ts';
import type { MinedUserOperation, ScannedRange, SettlementStore } from '../settlement-store.ts';
import type { GroupCommit } from './group-commit.ts';
import { createHashIndex } from './hash-index.ts';
import type { Ledger } from './ledger.ts';

/** What an EntryPoint lets be mined once. */
interface OperationSlot {
  entryPoint: string;
  paymaster: string;
  sender: string;
  nonce: bigint | string;
}

const slotKey = ({ entryPoint, paymaster, sender, nonce }: OperationSlot): string =>
  [entryPoint, paymaster, sender, nonce].join(' ').toLowerCase();

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
  const settledIn = database.prepare<[number, number, number], { seq: number }>(
    `SELECT seq FROM decision WHERE chain_id = ? AND settled_block BETWEEN ? AND ?`,
  );
  const reservedOf = database.prepare<[number, string], OperationSlot & { seq: number }>(
    `SELECT seq, sender, record ->> 'nonce' AS nonce, record ->> 'entryPoint' AS entryPoint,
       substr(record ->> 'paymasterAndData', 1, 42) AS paymaster
     FROM decision WHERE chain_id = ? AND settlement = 'reserved' AND sender IN (SELECT value FROM json_each(?))
     ORDER BY seq DESC`,
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
  const settle = (seq: number, { actualGasCost, blockNumber }: MinedUserOperation): void => {
    setSettlement.run('settled', String(actualGasCost), blockNumber, seq);
    const actual = { tank: () => 0n, count: (reserved: bigint) => reserved, spend: () => actualGasCost };
    ledger.adjust(seq, (kind, reserved) => actual[kind](reserved));
  };
  /** Settles the reserved decisions whose operations were mined under hashes that no decision has. */
  const settleSlots = (chainId: number, mined: readonly MinedUserOperation[]): void => {
    if (mined.length === 0) return;
    const senders = JSON.stringify(mined.map(({ sender }) => addressKey(sender)));
    // Newest first: of several decisions the oldest is the last one to be set.
    const reserved = new Map(reservedOf.all(chainId, senders).map(({ seq, ...slot }) => [slotKey(slot), seq]));
    for (const operation of mined) {
      const seq = reserved.get(slotKey(operation));
      if (seq === undefined) continue;
      hashes.add(operation.userOpHash.toLowerCase(), seq);
      settle(seq, operation);
    }
  };
  const applyRange = ({ chainId, fromBlock, toBlock, mined, cursor: block }: ScannedRange): number => {
    const seqOf = new Map(mined.map((one) => [one, hashes.find(one.userOpHash.toLowerCase(), chainId)]));
    const present = new Set(seqOf.values());
    const gone = settledIn.all(chainId, fromBlock, toBlock).filter(({ seq }) => !present.has(seq));
    for (const { seq } of gone) putBack(seq);
    for (const [operation, seq] of seqOf) if (seq !== undefined) settle(seq, operation);
    const unknown = mined.filter((operation) => seqOf.get(operation) === undefined);
    settleSlots(chainId, unknown);
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
