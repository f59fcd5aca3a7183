import type Database from 'better-sqlite3';
import { heldAfter } from '../../../core/ledger/after-settlement.ts';
import { settledCost, signedOperation } from '../../../core/decision/settled-cost.ts';
import { readRecord } from '../../../core/decision/stored-record.ts';
import { type Address, addressKey } from '../../../shared/schema/hex.ts';
import { type Candidate, slotKey } from '../operation-slot.ts';
import type {
  AppliedRange,
  MinedUserOperation,
  OpenReservation,
  ScannedRange,
  DecisionSettlement,
  SettlementStore,
  UnmatchedOperation,
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

  const state = database.prepare<[number], { id: string } & DecisionSettlement>(
    `SELECT id, settlement, actual_cost_wei AS actualCostWei, settled_block AS block FROM decision WHERE seq = ?`,
  );
  /** Stores a decision's result, and updates its accounts. */
  const change = (seq: number, { settlement, actualCostWei, block }: DecisionSettlement): void => {
    const before = state.get(seq);
    setSettlement.run(settlement, actualCostWei, block, seq);
    ledger.adjust(seq, (reservation) => heldAfter(settlement, reservation, BigInt(actualCostWei ?? 0)));
    if (before === undefined) return;
    const isSame = before.settlement === settlement && before.actualCostWei === actualCostWei && before.block === block;
    if (!isSame) entries.append('settlement', { decision: before.id, settlement, actualCostWei, block });
  };
  const putBack = (seq: number): void => change(seq, { settlement: 'reserved', actualCostWei: null, block: null });
  const terms = database.prepare<[number], { maxCostWei: string; entryPoint: string; paymasterAndData: string }>(
    `SELECT record ->> 'maxCostWei' AS maxCostWei, record ->> 'entryPoint' AS entryPoint,
       record ->> 'paymasterAndData' AS paymasterAndData FROM decision WHERE seq = ?`,
  );
  const record = database.prepare<[number], string>('SELECT record FROM decision WHERE seq = ?').pluck();
  const settle = (seq: number, mined: MinedUserOperation): void => {
    const sponsored = terms.get(seq);
    if (sponsored === undefined) return;
    const op = () => signedOperation(readRecord(record.get(seq) ?? ''));
    const cost = settledCost({ ...sponsored, maxCostWei: BigInt(sponsored.maxCostWei), op }, mined);
    change(seq, { settlement: 'settled', actualCostWei: String(cost), block: mined.blockNumber });
  };
  const leaveUnconfirmed = (seq: number, block: number): void =>
    change(seq, { settlement: 'unconfirmed', actualCostWei: null, block });
  const decisionOf = ({ userOpHash, sponsoredHashes = [] }: MinedUserOperation, chainId: number) => {
    const known = hashes.find(userOpHash.toLowerCase(), chainId);
    if (known !== undefined) return known;
    const seq = sponsoredHashes.map((hash) => hashes.find(hash, chainId)).find((found) => found !== undefined);
    if (seq !== undefined) hashes.add(userOpHash.toLowerCase(), seq);
    return seq;
  };
  /** Possible decisions of these operations, by sender and nonce. */
  const candidatesOf = (chainId: number, fromBlock: number, unmatched: readonly MinedUserOperation[]) => {
    if (unmatched.length === 0) return new Map<MinedUserOperation, Candidate[]>();
    const senders = JSON.stringify(unmatched.map(({ sender }) => addressKey(sender)));
    const bySlot = Map.groupBy(candidates.all({ chainId, fromBlock, senders }), slotKey);
    return new Map(unmatched.map((operation) => [operation, bySlot.get(slotKey(operation)) ?? []]));
  };
  const applyRange = ({ chainId, fromBlock, toBlock, mined, cursor: block }: ScannedRange): AppliedRange => {
    const seqOf = new Map(mined.map((one) => [one, decisionOf(one, chainId)]));
    const unmatched = mined.filter((operation) => seqOf.get(operation) === undefined);
    const mayBe = candidatesOf(chainId, fromBlock, unmatched);
    const present = new Set([...seqOf.values(), ...[...mayBe.values()].flat().map(({ seq }) => seq)]);
    const removed = settledIn.all(chainId, fromBlock, toBlock).filter(({ seq }) => !present.has(seq));
    for (const { seq } of removed) putBack(seq);
    for (const [operation, seq] of seqOf) if (seq !== undefined) settle(seq, operation);
    const fresh: UnmatchedOperation[] = [];
    for (const [operation, decisions] of mayBe) {
      for (const { seq } of decisions) leaveUnconfirmed(seq, operation.blockNumber);
      const isKnown = decisions.every(({ settlement }) => settlement === 'unconfirmed');
      if (!isKnown) fresh.push({ mined: operation, decisions: decisions.length });
    }
    setCursor.run(chainId, block);
    return { putBack: removed.length, unmatched: fresh };
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
      const apply = () => commit.run(() => (mined.length === 0 || hashes.catchUp() ? applyRange(range) : undefined));
      // Decisions are stored between two batches of hashes.
      for (;;) {
        const applied = await apply();
        if (applied !== undefined) return applied;
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
