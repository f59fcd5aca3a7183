import type Database from 'better-sqlite3';
import { heldIn, readReserves } from '../reserves.ts';
import { type Candidate, type SettlementChange, settleRange } from '../../../core/ledger/settle.ts';
import { settledCost, signedOperation } from '../../../core/decision/settled-cost.ts';
import { readRecord } from '../../../core/decision/stored-record.ts';
import { type Address, addressKey } from '../../../shared/schema/hex.ts';
import type {
  AppliedRange,
  MinedUserOperation,
  OpenReservation,
  ScannedRange,
  DecisionSettlement,
  SettlementStore,
} from '../settlement-store.ts';
import type { GroupCommit } from './group-commit.ts';
import { createHashIndex, enterAll } from './hash-index.ts';
import type { Ledger } from './ledger.ts';
import type { LogWriter } from './log.ts';

/** Settlement: the chain's result of each decision, and its remaining reservations in the ledger. */
export const settlementStore = (
  database: Database.Database,
  { ledger, entries, commit }: { ledger: Ledger; entries: LogWriter; commit: GroupCommit },
): SettlementStore => {
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
  // Includes decisions that a block of the range accounts for: a re-org may move or replace their operations.
  const candidates = database.prepare<[{ chainId: number; fromBlock: number; senders: string }], Candidate>(
    `SELECT seq, settlement, sender, record ->> 'nonce' AS nonce, record ->> 'entryPoint' AS entryPoint,
       substr(record ->> 'paymasterAndData', 1, 42) AS paymaster
     FROM decision WHERE sender IN (SELECT value FROM json_each(@senders)) AND seq IN (
       SELECT seq FROM decision WHERE chain_id = @chainId AND settlement = 'reserved'
       UNION ALL SELECT seq FROM decision WHERE chain_id = @chainId AND settled_block >= @fromBlock)`,
  );
  const setSettlement = database.prepare<[string, string | null, number | null, number]>(
    'UPDATE decision SET settlement = ?, actual_cost_wei = ?, settled_block = ? WHERE seq = ?',
  );
  const unmatchedSince = database.prepare<[number, number], { n: number }>(
    `SELECT count(*) AS n FROM decision
     WHERE chain_id = ? AND at >= ? AND settlement = 'unconfirmed' AND settled_block IS NOT NULL`,
  );
  const open = database.prepare<
    [{ chainId: number; validUntil: number; seq: number; validUntilBefore: number; most: number }],
    Omit<OpenReservation, 'nonce'> & { nonce: string }
  >(
    `SELECT seq, at, valid_until AS validUntil, sender, record ->> 'nonce' AS nonce, record ->> 'entryPoint' AS entryPoint
     FROM decision WHERE chain_id = @chainId AND settlement = 'reserved'
       AND (valid_until, seq) > (@validUntil, @seq) AND valid_until < @validUntilBefore
     ORDER BY valid_until, seq LIMIT @most`,
  );
  const isReserved = database.prepare<[number]>(`SELECT 1 FROM decision WHERE seq = ? AND settlement = 'reserved'`);

  const state = database.prepare<[number], { id: string; reserves: string | null } & DecisionSettlement>(
    `SELECT id, settlement, actual_cost_wei AS actualCostWei, settled_block AS block, reserves
     FROM decision WHERE seq = ?`,
  );
  /** Stores a decision's result, and updates its accounts. */
  const change = (seq: number, after: DecisionSettlement): void => {
    const before = state.get(seq);
    if (before === undefined) return;
    const { settlement, actualCostWei, block } = after;
    const isSame = before.settlement === settlement && before.actualCostWei === actualCostWei && before.block === block;
    if (isSame) return;
    setSettlement.run(settlement, actualCostWei, block, seq);
    ledger.adjust(
      readReserves(before.reserves),
      (reservation) => heldIn(after, reservation) - heldIn(before, reservation),
    );
    entries.appendSettlement(seq, { decision: before.id, settlement, actualCostWei, block });
  };
  const terms = database.prepare<[number], { maxCostWei: string; entryPoint: string; paymasterAndData: string }>(
    `SELECT record ->> 'maxCostWei' AS maxCostWei, record ->> 'entryPoint' AS entryPoint,
       record ->> 'paymasterAndData' AS paymasterAndData FROM decision WHERE seq = ?`,
  );
  const record = database.prepare<[number], string>('SELECT record FROM decision WHERE seq = ?').pluck();
  const costOf = (seq: number, mined: MinedUserOperation): bigint | undefined => {
    const sponsored = terms.get(seq);
    const op = () => signedOperation(readRecord(record.get(seq) ?? ''));
    return sponsored && settledCost({ ...sponsored, maxCostWei: BigInt(sponsored.maxCostWei), op }, mined);
  };
  const apply = (one: SettlementChange<MinedUserOperation>): void => {
    if (one.to === 'reserved') {
      change(one.seq, { settlement: one.to, actualCostWei: null, block: null });
      return;
    }
    if (one.to === 'unconfirmed') {
      change(one.seq, { settlement: one.to, actualCostWei: null, block: one.block });
      return;
    }
    const cost = costOf(one.seq, one.mined);
    if (cost === undefined) return;
    change(one.seq, { settlement: one.to, actualCostWei: String(cost), block: one.mined.blockNumber });
  };
  const decisionOf = ({ userOpHash, sponsoredHashes = [] }: MinedUserOperation, chainId: number) => {
    const known = hashes.find(userOpHash.toLowerCase(), chainId);
    if (known !== undefined) return known;
    const seq = sponsoredHashes.map((hash) => hashes.find(hash, chainId)).find((found) => found !== undefined);
    if (seq !== undefined) hashes.add(userOpHash.toLowerCase(), seq);
    return seq;
  };
  const applyRange = ({ chainId, fromBlock, toBlock, mined, cursor: block }: ScannedRange): AppliedRange => {
    const seqOf = new Map(mined.map((one) => [one, decisionOf(one, chainId)]));
    const senders = mined.filter((one) => seqOf.get(one) === undefined).map(({ sender }) => addressKey(sender));
    const { changes, ...applied } = settleRange({
      seqOf,
      candidates: senders.length === 0 ? [] : candidates.all({ chainId, fromBlock, senders: JSON.stringify(senders) }),
      accountedFor: settledIn.all(chainId, fromBlock, toBlock).map(({ seq }) => seq),
    });
    for (const one of changes) apply(one);
    setCursor.run(chainId, block);
    return applied;
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
    async operationsWithoutDecision(chainId, mined) {
      if (mined.length === 0) return [];
      await enterAll(hashes, commit);
      return mined.filter(({ userOpHash }) => hashes.find(userOpHash.toLowerCase(), chainId) === undefined);
    },
    async applySettlements(range) {
      const { mined } = range;
      const applied = () => commit.run(() => (mined.length === 0 || hashes.catchUp() ? applyRange(range) : undefined));
      // Decisions are stored between two batches of hashes.
      for (;;) {
        const result = await applied();
        if (result !== undefined) return result;
      }
    },
    async countUnmatched(chainId, from) {
      return unmatchedSince.get(chainId, from)?.n ?? 0;
    },
    moveSettlementCursor: (chainId, block) =>
      commit.run(() => {
        setCursor.run(chainId, block);
      }),
    async openReservations({ chainId, after: { validUntil, seq }, validUntilBefore, most }) {
      const found = open.all({ chainId, validUntil, seq, validUntilBefore, most });
      return found.map(({ nonce, ...reservation }) => ({ ...reservation, nonce: BigInt(nonce) }));
    },
    endReservations: (seqs, to) =>
      commit.run(() => {
        const reserved = seqs.filter((seq) => isReserved.get(seq) !== undefined);
        for (const seq of reserved) change(seq, { settlement: to, actualCostWei: null, block: null });
        return reserved.length;
      }),
  };
};
