import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { MinedUserOperation, SettlementState, SettlementStore } from '../store/settlement-store.ts';
import { isDevelopmentChain } from './development-chain.ts';
import type { RpcClient } from './rpc.ts';
import { FIRST_EXPIRING, GRACE_SECONDS, createEnding } from './end-reservations.ts';
import { createIdentifier } from './sponsored-hashes.ts';
import { type Block, blockBefore, createOperationReader, isSynced, readBlock } from './user-operation-events.ts';

export interface SettleChainOptions {
  readonly chainId: number;
  /** The chain's node; undefined if no RPC URL is set. An error that it throws is an outage. */
  readonly rpc: () => Promise<RpcClient | undefined>;
  readonly store: SettlementStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Number of newest blocks that are read again, because a re-org may have changed them. */
  readonly overlapBlocks: number;
  /** Blocks per request. */
  readonly maxRangeBlocks: number;
}

/** How long a public chain's head must stand still before the chain, and not its node, counts as stopped. */
const STANDSTILL_SECONDS = 1_800;
/** How far back the newest blocks are read again, and how often: logs may arrive late. */
const LATE_LOGS = { seconds: 600, mostBlocks: 2_400, everyMs: 60_000 };
/** A lagging node may have to return the state of a block: use one that was the head this long ago. */
const BURIED_SECONDS = 30;
/** Reservations of a chain without a node end in batches of this size, with decisions stored in between. */
const EXPIRY_BATCH = 200;

/** The last block with one of the operations; -1 if none is given. */
const lastBlockOf = (mined: readonly MinedUserOperation[]): number =>
  mined.reduce((last, { blockNumber }) => Math.max(last, blockNumber), -1);

/**
 * Returns a function that updates a chain's decisions, once per call. It settles mined operations, reserves again those
 * that a re-org removed, and ends reservations of operations that can no longer be mined ({@link createEnding}). It
 * throws if the node or the store does not answer properly; the next call continues from there.
 */
export const createChainSettler = (options: SettleChainOptions): ((stop: AbortSignal) => Promise<void>) => {
  const { chainId, rpc, store, clock, log, overlapBlocks, maxRangeBlocks } = options;
  const readOperations = createOperationReader(maxRangeBlocks);
  const identify = createIdentifier(store, chainId);
  /** The head up to which everything is read, and since when it has been the head (monotonic ms). */
  let read: { hash: string; since: number } | undefined;
  /** The last block that may hold a settled operation. Later ones need not be read while nothing is reserved. */
  let activeThrough: number | undefined;
  /**
   * When a reservation was last seen, unix seconds; lost at a restart. If the chain's time is behind it, later blocks
   * may still hold operations whose reservations ended by our clock.
   */
  let reservedAt: number | undefined;
  /** When late logs were last checked (monotonic ms). */
  let checkedAt = -Infinity;
  const isCheckDue = (): boolean => clock.monotonic() - checkedAt >= LATE_LOGS.everyMs;
  /** Heads of the last polls, oldest first; of the buried ones, only the newest. */
  let heads: readonly Block[] = [];

  /** The first block to read, and the last block read before on this chain. */
  const resume = async (
    node: RpcClient,
    head: Block,
    { cursor, oldestReservedAt }: SettlementState,
    mayMatter: (block: number) => boolean,
  ) => {
    const overlapOf = (block: number): number => Math.max(0, block - overlapBlocks + 1);
    if (cursor !== undefined && head.number >= cursor - overlapBlocks) {
      const from = overlapOf(Math.min(cursor, head.number));
      const lowest = Math.max(0, head.number - LATE_LOGS.mostBlocks);
      if (!isCheckDue() || lowest >= from || !mayMatter(lowest)) return { from, knownThrough: cursor };
      const late = await blockBefore(node, head, head.timestamp - LATE_LOGS.seconds, { lowest });
      return { from: Math.min(from, late.number), knownThrough: cursor };
    }
    // A new chain, or one that was set back: a cursor far above the head is meaningless.
    if (cursor !== undefined) log.warn('settlement.chain-set-back', { chainId, from: cursor, to: head.number });
    const newest = overlapOf(head.number);
    if (oldestReservedAt === undefined) return { from: newest, knownThrough: -1 };
    const first = await blockBefore(node, head, oldestReservedAt / 1000 - GRACE_SECONDS);
    return { from: Math.min(first.number, newest), knownThrough: -1 };
  };

  const reportUnmatched = ({ transactionHash, userOpHash, sender }: MinedUserOperation, count: number): void =>
    log.warn('settlement.unmatched', { chainId, transactionHash, userOpHash, sender, count });
  const ending = createEnding({ chainId, store, clock, log, readOperations, identify, reportUnmatched });

  const readThrough = async (node: RpcClient, head: Block, state: SettlementState, stop: AbortSignal) => {
    const mayBeLate = reservedAt !== undefined && head.timestamp < reservedAt - GRACE_SECONDS;
    let isReserved = state.oldestReservedAt !== undefined || mayBeLate;
    let lastActive = (activeThrough ??= state.cursor ?? -1);
    const mayMatter = (block: number): boolean => isReserved || block <= lastActive;
    const isCheck = isCheckDue();
    const { from: start, knownThrough } = await resume(node, head, state, mayMatter);
    for (let from = start; from <= head.number && !stop.aborted;) {
      if (!mayMatter(from)) {
        await store.moveSettlementCursor(chainId, head.number);
        return;
      }
      const { mined: found, toBlock } = await readOperations(node, state, from, head.number);
      const mined = await identify(node, found);
      // Blocks above the head are gone, with the operations mined in them.
      const through = Math.max(toBlock, knownThrough);
      const range = toBlock === head.number ? { toBlock: through, cursor: toBlock } : { toBlock, cursor: through };
      const { putBack, unmatched } = await store.applySettlements({ chainId, fromBlock: from, mined, ...range });
      for (const { mined: operation, decisions } of unmatched) reportUnmatched(operation, decisions);
      if (putBack > 0) log.warn('settlement.re-org', { chainId, count: putBack, from, to: toBlock });
      isReserved ||= putBack > 0;
      activeThrough = lastActive = Math.max(lastActive, isReserved ? toBlock : lastBlockOf(mined));
      from = toBlock + 1;
    }
    if (isCheck && !stop.aborted) checkedAt = clock.monotonic();
  };

  /**
   * Unix seconds; no further block will be older. That is the head's time. On an idle chain it is our own time: if the
   * head has not changed for longer than clocks may differ, on a node that claims to be up to date. Only development
   * chains idle; on others the node stands still, while operations are mined.
   */
  const noBlockBefore = async (node: RpcClient, head: Block, since: number, nowSeconds: number): Promise<number> => {
    const seconds = (clock.monotonic() - since) / 1000;
    const mayIdle =
      seconds >= STANDSTILL_SECONDS || (seconds >= GRACE_SECONDS && (await isDevelopmentChain(node, chainId)));
    const isIdle = mayIdle && (await isSynced(node));
    return isIdle ? Math.max(head.timestamp, nowSeconds) : head.timestamp;
  };

  /** A block that no re-org removes; undefined on a chain without one yet. */
  const buriedBlock = async (node: RpcClient, head: Block): Promise<Block | undefined> => {
    const isBuried = ({ number, timestamp }: Block): boolean =>
      head.number - number >= overlapBlocks && head.timestamp - timestamp >= BURIED_SECONDS;
    const known = heads.findLastIndex(isBuried);
    heads = heads.slice(Math.max(0, known));
    if (heads.at(-1)?.hash !== head.hash) heads = [...heads, head];
    if (known >= 0) return heads[0];
    return head.number < overlapBlocks ? undefined : readBlock(node, head.number - overlapBlocks);
  };

  /** Without a node, the result of these operations is unknown. */
  const leaveUnconfirmed = async (validUntilBefore: number): Promise<void> => {
    for (;;) {
      const batch = await store.openReservations({
        chainId,
        after: FIRST_EXPIRING,
        validUntilBefore,
        most: EXPIRY_BATCH,
      });
      const seqs = batch.map(({ seq }) => seq);
      const count = await store.endReservations(seqs, 'unconfirmed');
      if (count > 0) log.info('settlement.expired', { chainId, count, outcome: 'unconfirmed' });
      if (batch.length < EXPIRY_BATCH) return;
    }
  };

  return async (stop) => {
    const nowSeconds = Math.floor(clock.now() / 1000);
    const node = await rpc();
    if (node === undefined) {
      await leaveUnconfirmed(nowSeconds - GRACE_SECONDS);
      return;
    }
    // Read the head first: an operation reserved after the state was read cannot be mined in a block up to this head.
    const head = await readBlock(node, 'latest');
    const state = await store.settlementState(chainId);
    if (state.oldestReservedAt !== undefined) reservedAt = nowSeconds;
    reservedAt ??= nowSeconds;
    const mayBeLate = state.oldestReservedAt !== undefined && isCheckDue();
    const isSameHead = read?.hash === head.hash;
    if (read === undefined || !isSameHead || mayBeLate) {
      const since = isSameHead && read !== undefined ? read.since : clock.monotonic();
      // An error here leaves the store between two branches, and the chain may return to the first.
      read = undefined;
      await readThrough(node, head, state, stop);
      if (stop.aborted) return;
      read = { hash: head.hash, since };
    }
    if (state.oldestReservedAt === undefined) return;
    const now = { node, head, buried: await buriedBlock(node, head), state };
    await ending.expire(now, await noBlockBefore(node, head, read.since, nowSeconds));
    await ending.endEndless(now);
  };
};
