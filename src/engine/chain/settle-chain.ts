import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { MinedUserOperation, SettlementState } from '../store/settlement-store.ts';
import type { SettlementStore } from '../store/tables/settlements.ts';
import { isDevelopmentChain } from './development-chain.ts';
import { withHead } from './recent-heads.ts';
import type { RpcClient } from './rpc.ts';
import { FIRST_EXPIRING, GRACE_SECONDS, createEnding } from './end-reservations.ts';
import { createIdentifier } from './sponsored-hashes.ts';
import { type Block, blockBefore, createOperationReader, isSynced, readBlock } from './user-operation-events.ts';

export interface SettleChainOptions {
  readonly chainId: number;
  /** The chain's node; undefined if no RPC URL is set. If it throws, the node counts as unreachable. */
  readonly rpc: () => Promise<RpcClient | undefined>;
  readonly store: SettlementStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Number of latest blocks that are read again, because a re-org may have changed them. */
  readonly overlapBlocks: number;
  /** Blocks per request. */
  readonly maxRangeBlocks: number;
}

/** How long a public chain's head must not change before the chain, and not just its node, counts as halted. */
const STANDSTILL_SECONDS = 1_800;
/** How far back, and how often, blocks are read again because their logs may arrive late. */
const LATE_LOGS = { seconds: 600, mostBlocks: 2_400, everyMs: 60_000 };
/** Without a node, reservations end in batches of this size, so that decisions can be stored in between. */
const EXPIRY_BATCH = 200;

/** The last block with one of these operations; -1 without operations. */
const lastBlockOf = (mined: readonly MinedUserOperation[]): number =>
  mined.reduce((last, { blockNumber }) => Math.max(last, blockNumber), -1);

/**
 * Returns a function that updates a chain's decisions once per call. It settles mined operations, reserves again those
 * that a re-org removed, and ends reservations of operations that can no longer be mined ({@link createEnding}). It
 * throws if the node or the store gives no valid answer; the next call then continues from the same block.
 */
export const createChainSettler = (options: SettleChainOptions): ((stop: AbortSignal) => Promise<void>) => {
  const { chainId, rpc, store, clock, log, overlapBlocks, maxRangeBlocks } = options;
  const readOperations = createOperationReader(maxRangeBlocks);
  const identify = createIdentifier(store, chainId);
  /** The head up to which all blocks have been read, and the time since when it has been the head (monotonic ms). */
  let read: { hash: string; since: number } | undefined;
  /** The last block that may contain a settled operation. Later blocks need not be read while nothing is reserved. */
  let activeThrough: number | undefined;
  /**
   * The last time at which a reservation existed, in unix seconds. It is not kept across restarts. While the chain's
   * time is earlier than this, later blocks may still contain operations whose reservations have already ended by
   * Gasdesk's clock.
   */
  let reservedAt: number | undefined;
  /** When late logs were last searched for (monotonic ms). */
  let checkedAt = -Infinity;
  const isCheckDue = (): boolean => clock.monotonic() - checkedAt >= LATE_LOGS.everyMs;
  /** See {@link withHead}. */
  let heads: readonly Block[] = [];

  /** The first block to read, and the last block that was read before on this chain. */
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
    // The chain is new or was set back, so a cursor far above its head is meaningless.
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
      // Blocks above the head no longer exist, nor do the operations mined in them.
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
   * A time, in unix seconds, before which no later block will be. Usually this is the head's time. If the chain is
   * idle, it is Gasdesk's own time. A chain counts as idle if its head has not changed for longer than clocks may
   * differ and its node claims to be up to date. Development chains count as idle soon. On other chains, a head that
   * does not change usually means that the node is stuck, so a longer time must pass.
   */
  const noBlockBefore = async (node: RpcClient, head: Block, since: number, nowSeconds: number): Promise<number> => {
    const seconds = (clock.monotonic() - since) / 1000;
    const mayIdle =
      seconds >= STANDSTILL_SECONDS || (seconds >= GRACE_SECONDS && (await isDevelopmentChain(node, chainId)));
    const isIdle = mayIdle && (await isSynced(node));
    return isIdle ? Math.max(head.timestamp, nowSeconds) : head.timestamp;
  };

  /** A block that no re-org removes; undefined if the chain does not have one yet. */
  const buriedBlock = async (node: RpcClient, head: Block): Promise<Block | undefined> => {
    const recent = withHead(heads, head, overlapBlocks);
    heads = recent.heads;
    if (recent.buried !== undefined) return recent.buried;
    return head.number < overlapBlocks ? undefined : readBlock(node, head.number - overlapBlocks);
  };

  /** Without a node, the outcome of these operations is unknown. */
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
    // Reads the head before the state: an operation that is reserved later cannot be mined in a block up to this head.
    const head = await readBlock(node, 'latest');
    const state = await store.settlementState(chainId);
    if (state.oldestReservedAt !== undefined) reservedAt = nowSeconds;
    reservedAt ??= nowSeconds;
    const mayBeLate = state.oldestReservedAt !== undefined && isCheckDue();
    const isSameHead = read?.hash === head.hash;
    if (read === undefined || !isSameHead || mayBeLate) {
      const since = isSameHead && read !== undefined ? read.since : clock.monotonic();
      // If reading fails, the store reflects parts of two branches, and the chain may return to the first one.
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
