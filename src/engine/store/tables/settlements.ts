import { settledCost, signedOperation } from '../../../core/decision/settled-cost.ts';
import { type StoredRecord, readRecord } from '../../../core/decision/stored-record.ts';
import {
  type Candidate,
  type HashedDecision,
  type SettlementChange,
  settleRange,
} from '../../../core/ledger/settle.ts';
import { type Address, addressKey } from '../../../shared/schema/hex.ts';
import { heldIn, readReserves } from '../reserves.ts';
import type { Access, Transaction } from '../access.ts';
import { type StepRows, type Steps, turn } from '../rows.ts';
import { keepMined } from './operation-costs.ts';
import type {
  AppliedRange,
  DecisionSettlement,
  MinedUserOperation,
  OpenReservation,
  ScannedRange,
  SettlementState,
  UnmatchedOperation,
} from '../settlement-store.ts';

/** Maximum number of decisions that one transaction settles, so that it ends within some ms. */
const LOT = 150;

const CHAINS = 'SELECT chain_id FROM chain_cursor UNION SELECT chain_id FROM watched_paymaster ORDER BY 1';

const CURSOR = 'SELECT block FROM chain_cursor WHERE chain_id = $1';

const OLDEST = `SELECT at FROM decision WHERE chain_id = $1 AND settlement = 'reserved' ORDER BY seq LIMIT 1`;

const WATCHED = 'SELECT entry_point, paymaster FROM watched_paymaster WHERE chain_id = $1 ORDER BY 1, 2';

// Several decisions have the same hash if the account signed once, and the paymaster more than once.
const BY_HASH = `SELECT decision.seq, settlement, paymaster_id AS dapp FROM decision_hash JOIN decision USING (seq)
  WHERE decision_hash.user_op_hash = $1 AND chain_id = $2 AND outcome = 'sponsored'`;

interface HashRow extends HashedDecision {
  readonly dapp: string;
}

/** The decision that was settled with this hash before comes first, then those that may still be mined. */
const ORDER: Readonly<Record<HashRow['settlement'], number>> = { settled: 0, reserved: 1, unconfirmed: 2, released: 2 };

/** The first decision of each DApp, of those that were not released; if all were, only the first. */
const firstOfEach = (found: readonly HashRow[]): readonly HashedDecision[] => {
  if (found.length < 2) return found;
  const rows = found.toSorted((a, b) => ORDER[a.settlement] - ORDER[b.settlement] || a.seq - b.seq);
  const byDapp = Map.groupBy(
    rows.filter(({ settlement }) => settlement !== 'released'),
    ({ dapp }) => dapp,
  );
  return byDapp.size === 0 ? rows.slice(0, 1) : [...byDapp.values()].flatMap(([first]) => first ?? []);
};

// Includes decisions that a block of the range accounts for: a re-org may move or replace their operations.
const CANDIDATES = `SELECT seq, settlement, record FROM decision WHERE sender = ANY($3::text[]) AND seq IN (
    SELECT seq FROM decision WHERE chain_id = $1 AND settlement = 'reserved'
    UNION ALL SELECT seq FROM decision WHERE chain_id = $1 AND settled_block >= $2)`;

const SETTLED_IN = `SELECT seq FROM decision WHERE chain_id = $1 AND settled_block BETWEEN $2 AND $3
  ORDER BY settled_block, seq`;

const STATE = `SELECT id, settlement, actual_cost_wei AS "actualCostWei", settled_block AS block, reserves
  FROM decision WHERE seq = $1`;

const SET_STATE = 'UPDATE decision SET settlement = $1, actual_cost_wei = $2, settled_block = $3 WHERE seq = $4';

const UNMATCHED = `SELECT count(*) AS n FROM decision
  WHERE chain_id = $1 AND at >= $2 AND settlement = 'unconfirmed' AND settled_block IS NOT NULL`;

const OPEN = `SELECT seq, at, valid_until, record FROM decision
  WHERE chain_id = $1 AND settlement = 'reserved' AND (valid_until, seq) > ($2, $3) AND valid_until < $4
  ORDER BY valid_until, seq LIMIT $5`;

interface CandidateRow extends Pick<Candidate, 'seq' | 'settlement'> {
  readonly record: string;
}

const toCandidate = ({ seq, settlement, record }: CandidateRow): Candidate => {
  const { sender, nonce, entryPoint, paymasterAndData } = readRecord(record);
  return { seq, settlement, sender, nonce, entryPoint, paymaster: paymasterAndData.slice(0, 42) };
};

interface ChangeOptions {
  /** Changes the decision only in this state. */
  readonly only?: DecisionSettlement['settlement'];
  /** The call of the mined operation reverted. */
  readonly isReverted?: boolean;
}

/**
 * Stores a decision's result, and updates its accounts.
 *
 * @returns false if nothing changed
 */
const change = function* (
  tx: Transaction,
  seq: number,
  after: DecisionSettlement,
  { only, isReverted = false }: ChangeOptions = {},
): Steps<boolean> {
  const before = yield* tx.get<{ id: string; reserves: string | null } & DecisionSettlement>(STATE, [seq]);
  if (before === undefined || (only !== undefined && before.settlement !== only)) return false;
  const { settlement, actualCostWei, block } = after;
  if (before.settlement === settlement && before.actualCostWei === actualCostWei && before.block === block)
    return false;
  yield* tx.run(SET_STATE, [settlement, actualCostWei, block, seq]);
  const reserves = readReserves(before.reserves).flatMap((one) => {
    const amount = heldIn(after, one) - heldIn(before, one);
    return amount === 0n ? [] : [{ ...one, amount }];
  });
  for (const { follows } of reserves) if (follows === 'tank') tx.advanceLedger();
  yield* tx.ledger.adjust(tx, reserves);
  const reverted = isReverted ? ({ reverted: true } as const) : undefined;
  tx.log.appendSettlement(seq, { decision: before.id, settlement, actualCostWei, block, ...reverted });
  tx.decisionsChanged();
  return true;
};

const costOf = function* (tx: StepRows, seq: number, mined: MinedUserOperation): Steps<bigint | undefined> {
  const found = yield* tx.get<{ record: string }>('SELECT record FROM decision WHERE seq = $1', [seq]);
  if (found === undefined) return undefined;
  // These fields are texts, so no number loses digits. Reading the whole record takes longer.
  const { entryPoint, paymasterAndData, maxCostWei } = JSON.parse(found.record) as StoredRecord;
  const terms = { entryPoint, paymasterAndData, maxCostWei: BigInt(maxCostWei ?? 0) };
  return settledCost({ ...terms, op: () => signedOperation(readRecord(found.record)) }, mined);
};

const apply = function* (tx: Transaction, chainId: number, one: SettlementChange<MinedUserOperation>): Steps<void> {
  const { seq, to: settlement } = one;
  if (one.to === 'reserved') yield* change(tx, seq, { settlement, actualCostWei: null, block: null });
  else if (one.to === 'unconfirmed') yield* change(tx, seq, { settlement, actualCostWei: null, block: one.block });
  else {
    const cost = yield* costOf(tx, seq, one.mined);
    if (cost === undefined) return;
    const { blockNumber: block, success } = one.mined;
    yield* change(tx, seq, { settlement, actualCostWei: String(cost), block }, { isReverted: !success });
    yield* keepMined(tx, seq, chainId, one.mined);
  }
};

/**
 * The sponsored decision with the hash of an operation, or with another one under which it was sponsored; one of each
 * DApp, if several DApps sponsored it.
 */
export const findByHash = function* (
  tx: StepRows,
  { userOpHash, sponsoredHashes = [] }: Pick<MinedUserOperation, 'userOpHash' | 'sponsoredHashes'>,
  chainId: number,
): Steps<readonly HashedDecision[]> {
  const hash = userOpHash.toLowerCase();
  for (const one of [hash, ...sponsoredHashes]) {
    const found = firstOfEach(yield* tx.all<HashRow>(BY_HASH, [one, chainId]));
    if (found.length === 0) continue;
    if (one !== hash) {
      for (const { seq } of found)
        yield* tx.run('INSERT INTO decision_hash VALUES ($1, $2) ON CONFLICT DO NOTHING', [hash, seq]);
    }
    return found;
  }
  return [];
};

/** A part of a range. Only the last part contains the cursor. */
type RangePart = Omit<ScannedRange, 'cursor'> & Partial<Pick<ScannedRange, 'cursor'>>;

/** The operations in lots, one for each transaction. Operations of the same block are in the same lot. */
const lotsOf = (mined: readonly MinedUserOperation[]): MinedUserOperation[][] => {
  const byBlock = Map.groupBy(mined, ({ blockNumber }) => blockNumber);
  const lots: MinedUserOperation[][] = [];
  for (const [, inBlock] of [...byBlock].sort(([one], [other]) => one - other)) {
    const last = lots.at(-1);
    if (last === undefined || last.length + inBlock.length > LOT) lots.push(inBlock);
    else last.push(...inBlock);
  }
  return lots;
};

/** The range in parts, each of some blocks. If the range has no blocks, each part has some of the operations. */
const partsOf = (range: ScannedRange): RangePart[] => {
  const { chainId, mined, toBlock, cursor } = range;
  const hasBlocks = range.fromBlock <= toBlock;
  const lots = mined.length <= LOT ? [mined] : lotsOf(mined);
  let { fromBlock } = range;
  return lots.map((lot, index) => {
    if (index === lots.length - 1) return { chainId, fromBlock, toBlock, mined: lot, cursor };
    const through = hasBlocks ? (lot.at(-1)?.blockNumber ?? toBlock) : toBlock;
    const part = { chainId, fromBlock, toBlock: through, mined: lot };
    if (hasBlocks) fromBlock = through + 1;
    return part;
  });
};

/** Makes decisions agree with the blocks of a part. @returns undefined if hashes may be missing */
const applyPart = function* (tx: Transaction, range: RangePart): Steps<AppliedRange | undefined> {
  const { chainId, fromBlock, toBlock, mined, cursor } = range;
  if (mined.length > 0 && !(yield* tx.enterHashes())) return undefined;
  const withHash = new Map<MinedUserOperation, readonly HashedDecision[]>();
  for (const one of mined) withHash.set(one, yield* findByHash(tx, one, chainId));
  const senders = mined.filter((one) => withHash.get(one)?.length === 0).map(({ sender }) => addressKey(sender));
  const found = senders.length === 0 ? [] : yield* tx.all<CandidateRow>(CANDIDATES, [chainId, fromBlock, senders]);
  const settledIn = yield* tx.all<{ seq: number }>(SETTLED_IN, [chainId, fromBlock, toBlock]);
  const { changes, ...applied } = settleRange({
    withHash,
    candidates: found.map(toCandidate).sort((a, b) => a.seq - b.seq),
    accountedFor: settledIn.map(({ seq }) => seq),
  });
  for (const one of changes) yield* apply(tx, chainId, one);
  if (cursor !== undefined) yield* setCursor(tx, chainId, cursor);
  return applied;
};

const setCursor = (tx: StepRows, chainId: number, block: number): Steps<number> =>
  tx.upsert('chain_cursor', 'chain_id, block', { chainId, block }, 'chain_id');

export interface OpenQuery {
  readonly chainId: number;
  /** Returns only reservations after this one in that order. */
  readonly after: Pick<OpenReservation, 'validUntil' | 'seq'>;
  readonly validUntilBefore: number;
  readonly most: number;
}

/**
 * Settlement: the chain's result of each decision, and its remaining reservations in the ledger. Each method is one
 * atomic step unless it says otherwise, durable when its promise resolves.
 */
export const settlementStore = ({ rows, writeShared, enterHashes }: Access) => ({
  /** Chains with a `reserved` decision or a cursor. */
  async settlementChains(): Promise<number[]> {
    return (await rows.all<{ chainId: number }>(CHAINS)).map(({ chainId }) => chainId);
  },
  async settlementState(chainId: number): Promise<SettlementState> {
    const [cursor, oldest, pairs] = await Promise.all([
      rows.get<{ block: number }>(CURSOR, [chainId]),
      rows.get<{ at: number }>(OLDEST, [chainId]),
      rows.all<{ entryPoint: Address; paymaster: Address }>(WATCHED, [chainId]),
    ]);
    return {
      cursor: cursor?.block,
      oldestReservedAt: oldest?.at,
      entryPoints: [...new Set(pairs.map(({ entryPoint }) => entryPoint))],
      paymasters: [...new Set(pairs.map(({ paymaster }) => paymaster))],
    };
  },
  /** Mined operations whose hash belongs to no sponsored decision of the chain. */
  async operationsWithoutDecision(chainId: number, mined: readonly MinedUserOperation[]) {
    if (mined.length > 0) await enterHashes();
    const without: MinedUserOperation[] = [];
    for (const one of mined) {
      if ((await rows.get(BY_HASH, [one.userOpHash.toLowerCase(), chainId])) === undefined) without.push(one);
    }
    return without;
  },
  /**
   * Makes the chain's decisions agree with the blocks of a range. It is idempotent. If much was mined, it takes several
   * steps, some blocks each, so that decisions do not wait for all of it; the last step sets the cursor. A range whose
   * `toBlock` is below its `fromBlock` has no blocks: `mined` counts, and nothing is taken back.
   * - The sponsored decision with the hash of a mined operation, or one of its `sponsoredHashes`, becomes `settled` at
   *   its cost (`settledCost` in the core) and in its block, whatever it was before: the chain overrides a release. It
   *   keeps that hash too. If several decisions of a DApp have one hash (a request sent twice in one second), exactly
   *   one is settled: the one that already is, else the oldest. If several DApps have decisions with one hash that are
   *   not released, one of each DApp becomes `unconfirmed`: the chain does not show which of them paid.
   * - An operation without such a decision is unmatched. One of the decisions about its EntryPoint, paymaster, sender
   *   and nonce has paid for it, but it is unknown which. All reserved ones become `unconfirmed`, which counts their
   *   maximum as spent. Without any, the operation is not ours.
   * - A decision that a block of the range settled or made unconfirmed, and that nothing in `mined` accounts for any
   *   more, returns to `reserved`, at its maximum.
   */
  async applySettlements(range: ScannedRange): Promise<AppliedRange> {
    const unmatched: UnmatchedOperation[] = [];
    let putBack = 0;
    for (const part of partsOf(range)) {
      let applied: AppliedRange | undefined;
      // Decisions are stored between two batches of hashes.
      do applied = await writeShared((tx) => applyPart(tx, part));
      while (applied === undefined);
      putBack += applied.putBack;
      unmatched.push(...applied.unmatched);
      await turn();
    }
    return { putBack, unmatched };
  },
  /**
   * Number of the chain's decisions from `from` (epoch ms) on that are unconfirmed because of a mined operation without
   * a certain decision.
   */
  async countUnmatched(chainId: number, from: number): Promise<number> {
    return (await rows.get<{ n: number }>(UNMATCHED, [chainId, from]))?.n ?? 0;
  },
  /** Sets the cursor of a chain that needs no scan. */
  async moveSettlementCursor(chainId: number, block: number): Promise<void> {
    await writeShared((tx) => setCursor(tx, chainId, block));
  },
  /** The chain's `reserved` decisions with a `validUntil` below `validUntilBefore`, by `validUntil` and `seq`. */
  async openReservations(query: OpenQuery): Promise<OpenReservation[]> {
    const { chainId, after, validUntilBefore, most } = query;
    const found = await rows.all<Pick<OpenReservation, 'seq' | 'at' | 'validUntil'> & { record: string }>(OPEN, [
      chainId,
      after.validUntil,
      after.seq,
      validUntilBefore,
      most,
    ]);
    return found.map(({ record, ...reservation }): OpenReservation => {
      const { entryPoint, sender, nonce } = readRecord(record);
      return { ...reservation, entryPoint: entryPoint as Address, sender: sender as Address, nonce: BigInt(nonce) };
    });
  },
  /**
   * Ends the reservations of those decisions that are still `reserved`, in several steps if they are many. `released`
   * returns the reserved amount to the cycle from which it was taken; `unconfirmed` counts it as spent.
   *
   * @returns the number of ended reservations
   */
  async endReservations(seqs: readonly number[], to: 'released' | 'unconfirmed'): Promise<number> {
    const after = { settlement: to, actualCostWei: null, block: null };
    let ended = 0;
    for (let first = 0; first < seqs.length; first += LOT) {
      ended += await writeShared(function* (tx) {
        let some = 0;
        for (const seq of seqs.slice(first, first + LOT))
          some += Number(yield* change(tx, seq, after, { only: 'reserved' }));
        return some;
      });
      await turn();
    }
    return ended;
  },
});

export type SettlementStore = ReturnType<typeof settlementStore>;
