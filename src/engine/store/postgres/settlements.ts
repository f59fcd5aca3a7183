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
import { adjustReservations } from './ledger.ts';
import type { Rows } from './rows.ts';
import type { Writer, Transaction } from './writer.ts';

interface StoredDecision extends Pick<Candidate, 'seq' | 'settlement'> {
  record: string;
}

/** Reads records here: PostgreSQL cannot search JSON that contains a NUL, which clients may send. */
const toCandidate = ({ seq, settlement, record }: StoredDecision): Candidate => {
  const { sender, nonce, entryPoint, paymasterAndData } = readRecord(record);
  return { seq, settlement, sender, nonce, entryPoint, paymaster: paymasterAndData.slice(0, 42) };
};

const STATE = `SELECT id, settlement, actual_cost_wei AS "actualCostWei", settled_block AS block, reserves
  FROM decision WHERE seq = $1`;

const SET_STATE = 'UPDATE decision SET settlement = $1, actual_cost_wei = $2, settled_block = $3 WHERE seq = $4';

// Includes decisions that a block of the range accounts for: a re-org may move or replace their operations.
const CANDIDATES = `SELECT seq, settlement, record FROM decision
  WHERE chain_id = $1 AND sender = ANY($3::text[]) AND (settlement = 'reserved' OR settled_block >= $2)
  ORDER BY seq`;

const BY_HASH = `SELECT decision.seq FROM decision_hash JOIN decision USING (seq)
  WHERE decision_hash.user_op_hash = $1 AND chain_id = $2 AND outcome = 'sponsored'
  ORDER BY (settlement = 'settled') DESC, decision.seq LIMIT 1`;

const SETTLED_IN = `SELECT seq FROM decision WHERE chain_id = $1 AND settled_block BETWEEN $2 AND $3
  ORDER BY settled_block, seq`;

const SET_CURSOR = `INSERT INTO chain_cursor (chain_id, block) VALUES ($1, $2)
  ON CONFLICT (chain_id) DO UPDATE SET block = excluded.block`;

/** Stores a decision's result, and updates its accounts. */
const change = async (writing: Transaction, seq: number, after: DecisionSettlement): Promise<void> => {
  const before = await writing.get<{ id: string; reserves: string | null } & DecisionSettlement>(STATE, [seq]);
  if (before === undefined) return;
  const { settlement, actualCostWei, block } = after;
  const isSame = before.settlement === settlement && before.actualCostWei === actualCostWei && before.block === block;
  if (isSame) return;
  await writing.run(SET_STATE, [settlement, actualCostWei, block, seq]);
  const reservations = readReserves(before.reserves);
  await adjustReservations(writing, reservations, (one) => heldIn(after, one) - heldIn(before, one));
  writing.log.appendSettlement(seq, { decision: before.id, settlement, actualCostWei, block });
  writing.decisionsChanged();
};

const costOf = async (writing: Transaction, seq: number, mined: MinedUserOperation): Promise<bigint | undefined> => {
  const found = await writing.get<{ record: string }>('SELECT record FROM decision WHERE seq = $1', [seq]);
  if (found === undefined) return undefined;
  const record = readRecord(found.record);
  const { entryPoint, paymasterAndData } = record;
  const terms = { entryPoint, paymasterAndData, maxCostWei: BigInt(record.maxCostWei ?? 0) };
  return settledCost({ ...terms, op: () => signedOperation(record) }, mined);
};

const apply = async (writing: Transaction, one: SettlementChange<MinedUserOperation>): Promise<void> => {
  const { seq, to: settlement } = one;
  if (one.to === 'reserved') return change(writing, seq, { settlement, actualCostWei: null, block: null });
  if (one.to === 'unconfirmed') return change(writing, seq, { settlement, actualCostWei: null, block: one.block });
  const cost = await costOf(writing, seq, one.mined);
  if (cost === undefined) return;
  await change(writing, seq, { settlement, actualCostWei: String(cost), block: one.mined.blockNumber });
};

/** The decision that a mined operation settles: the one it settled before, else the first. */
const findByHash = async (rows: Rows, userOpHash: string, chainId: number): Promise<number | undefined> =>
  (await rows.get<{ seq: number }>(BY_HASH, [userOpHash.toLowerCase(), chainId]))?.seq;

const decisionOf = async (
  writing: Transaction,
  { userOpHash, sponsoredHashes = [] }: MinedUserOperation,
  chainId: number,
): Promise<number | undefined> => {
  const known = await findByHash(writing, userOpHash, chainId);
  if (known !== undefined) return known;
  for (const hash of sponsoredHashes) {
    const seq = await findByHash(writing, hash, chainId);
    if (seq === undefined) continue;
    await writing.run('INSERT INTO decision_hash VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      userOpHash.toLowerCase(),
      seq,
    ]);
    return seq;
  }
  return undefined;
};

const applyRange = async (writing: Transaction, range: ScannedRange): Promise<AppliedRange> => {
  const { chainId, fromBlock, toBlock, mined, cursor } = range;
  const seqOf = new Map<MinedUserOperation, number | undefined>();
  for (const one of mined) seqOf.set(one, await decisionOf(writing, one, chainId));
  const senders = mined.filter((one) => seqOf.get(one) === undefined).map(({ sender }) => addressKey(sender));
  const found =
    senders.length === 0 ? [] : await writing.all<StoredDecision>(CANDIDATES, [chainId, fromBlock, senders]);
  const settledIn = await writing.all<{ seq: number }>(SETTLED_IN, [chainId, fromBlock, toBlock]);
  const { changes, ...applied } = settleRange({
    seqOf,
    candidates: found.map(toCandidate),
    accountedFor: settledIn.map(({ seq }) => seq),
  });
  for (const one of changes) await apply(writing, one);
  await writing.run(SET_CURSOR, [chainId, cursor]);
  return applied;
};

/** Settlement: the chain's result of each decision, and its remaining reservations in the ledger. */
export const settlementStore = ({ rows, writer }: { rows: Rows; writer: Writer }): SettlementStore => ({
  async settlementChains() {
    const found = await rows.all<{ chainId: number }>(
      'SELECT chain_id AS "chainId" FROM chain_cursor UNION SELECT chain_id FROM watched_paymaster ORDER BY 1',
    );
    return found.map(({ chainId }) => chainId);
  },
  async settlementState(chainId) {
    const [cursor, oldest, pairs] = await Promise.all([
      rows.get<{ block: number }>('SELECT block FROM chain_cursor WHERE chain_id = $1', [chainId]),
      rows.get<{ at: number }>(
        `SELECT at FROM decision WHERE chain_id = $1 AND settlement = 'reserved' ORDER BY seq LIMIT 1`,
        [chainId],
      ),
      rows.all<{ entryPoint: Address; paymaster: Address }>(
        `SELECT entry_point AS "entryPoint", paymaster FROM watched_paymaster WHERE chain_id = $1 ORDER BY 1, 2`,
        [chainId],
      ),
    ]);
    return {
      cursor: cursor?.block,
      oldestReservedAt: oldest?.at,
      entryPoints: [...new Set(pairs.map(({ entryPoint }) => entryPoint))],
      paymasters: [...new Set(pairs.map(({ paymaster }) => paymaster))],
    };
  },
  async operationsWithoutDecision(chainId, mined) {
    const without: MinedUserOperation[] = [];
    for (const one of mined) if ((await findByHash(rows, one.userOpHash, chainId)) === undefined) without.push(one);
    return without;
  },
  applySettlements: (range) => writer.run((writing) => applyRange(writing, range)),
  async countUnmatched(chainId, from) {
    const found = await rows.get<{ n: number }>(
      `SELECT count(*) AS n FROM decision
       WHERE chain_id = $1 AND at >= $2 AND settlement = 'unconfirmed' AND settled_block IS NOT NULL`,
      [chainId, from],
    );
    return found?.n ?? 0;
  },
  async moveSettlementCursor(chainId, block) {
    await writer.run((writing) => writing.run(SET_CURSOR, [chainId, block]));
  },
  async openReservations({ chainId, after, validUntilBefore, most }) {
    const found = await rows.all<Pick<OpenReservation, 'seq' | 'at' | 'validUntil'> & { record: string }>(
      `SELECT seq, at, valid_until AS "validUntil", record FROM decision
       WHERE chain_id = $1 AND settlement = 'reserved' AND (valid_until, seq) > ($2, $3) AND valid_until < $4
       ORDER BY valid_until, seq LIMIT $5`,
      [chainId, after.validUntil, after.seq, validUntilBefore, most],
    );
    return found.map(({ record, ...reservation }): OpenReservation => {
      const { entryPoint, sender, nonce } = readRecord(record);
      return { ...reservation, entryPoint: entryPoint as Address, sender: sender as Address, nonce: BigInt(nonce) };
    });
  },
  endReservations: (seqs, to) =>
    writer.run(async (writing) => {
      const reserved = await writing.all<{ seq: number }>(
        `SELECT seq FROM decision WHERE seq = ANY($1::bigint[]) AND settlement = 'reserved' ORDER BY seq`,
        [[...seqs]],
      );
      for (const { seq } of reserved) await change(writing, seq, { settlement: to, actualCostWei: null, block: null });
      return reserved.length;
    }),
});
