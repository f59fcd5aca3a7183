import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { SettlementState, SettlementStore } from '../store/settlement-store.ts';
import { isDevelopmentChain } from './development-chain.ts';
import type { RpcClient } from './rpc.ts';
import { type Block, createOperationReader, isSynced, readBlock } from './user-operation-events.ts';

/** What settling a chain takes. */
export interface SettleChainOptions {
  readonly chainId: number;
  /** The chain's node; undefined where no RPC URL is set. What it throws is an outage. */
  readonly rpc: () => Promise<RpcClient | undefined>;
  readonly store: SettlementStore;
  readonly clock: Clock;
  readonly log: Log;
  /** How many of the newest blocks are read again, because a re-org may have changed them. */
  readonly overlapBlocks: number;
  /** How many blocks the node is asked for at once. */
  readonly maxRangeBlocks: number;
}

/** What a chain's time may differ from ours by: reservations outlive their `validUntil` by it (SPEC 5). */
const GRACE_SECONDS = 120;
/** How long a public chain's head stands still before the chain, and not its node, is taken to have stopped. */
const STANDSTILL_SECONDS = 1_800;

/** The newest block from before a time, or an older one; the first block if there is none. */
const blockBefore = async (rpc: RpcClient, head: Block, seconds: number): Promise<number> => {
  let block = head;
  for (let back = 16; block.number > 0 && block.timestamp >= seconds; back *= 4) {
    block = await readBlock(rpc, Math.max(0, head.number - back));
  }
  return block.number;
};

/**
 * Makes the function that brings a chain's decisions up to date, once per call: operations that were mined are
 * settled, those that a re-org took back are reserved again, and reservations of operations that can no longer be
 * mined end. It throws when the node or the store does not answer properly; the next call then goes on where it was.
 */
export const createChainSettler = (options: SettleChainOptions): ((stop: AbortSignal) => Promise<void>) => {
  const { chainId, rpc, store, clock, log, overlapBlocks, maxRangeBlocks } = options;
  const readOperations = createOperationReader(maxRangeBlocks);
  /** The head up to which everything is read, and since when it has been the head (monotonic ms). */
  let read: { hash: string; since: number } | undefined;
  /** The last block that may hold a settled operation. Later ones need not be read while nothing is reserved. */
  let activeThrough: number | undefined;

  /** Where reading begins, and the last block that was read before on this chain. */
  const resume = async (node: RpcClient, head: Block, { cursor, oldestReservedAt }: SettlementState) => {
    const overlapOf = (block: number): number => Math.max(0, block - overlapBlocks + 1);
    if (cursor !== undefined && head.number >= cursor - overlapBlocks) {
      return { from: overlapOf(Math.min(cursor, head.number)), knownThrough: cursor };
    }
    // A chain not read before, or one that was set back: a cursor far above the head says nothing of it.
    if (cursor !== undefined) log.warn('settlement.chain-set-back', { chainId, from: cursor, to: head.number });
    const newest = overlapOf(head.number);
    if (oldestReservedAt === undefined) return { from: newest, knownThrough: -1 };
    const first = await blockBefore(node, head, oldestReservedAt / 1000 - GRACE_SECONDS);
    return { from: Math.min(first, newest), knownThrough: -1 };
  };

  /** Reads everything up to the head. */
  const readThrough = async (node: RpcClient, head: Block, state: SettlementState, stop: AbortSignal) => {
    let isReserved = state.oldestReservedAt !== undefined;
    activeThrough ??= state.cursor ?? -1;
    const { from: start, knownThrough } = await resume(node, head, state);
    for (let from = start; from <= head.number && !stop.aborted;) {
      if (!isReserved && from > activeThrough) {
        await store.moveSettlementCursor(chainId, head.number);
        return;
      }
      const { mined, toBlock } = await readOperations(node, state, from, head.number);
      // Blocks above the head are gone, and with them what was mined there.
      const through = Math.max(toBlock, knownThrough);
      const range = toBlock === head.number ? { toBlock: through, cursor: toBlock } : { toBlock, cursor: through };
      const putBack = await store.applySettlements({ chainId, fromBlock: from, mined, ...range });
      if (putBack > 0) log.warn('settlement.re-org', { chainId, count: putBack, from, to: toBlock });
      isReserved ||= putBack > 0;
      if (isReserved) activeThrough = Math.max(activeThrough, toBlock);
      from = toBlock + 1;
    }
  };

  /**
   * Unix seconds before which no block will be mined any more. That is the head's time, and on an idle chain our own: a
   * head that has not changed for longer than clocks may differ, on a node that claims to be up to date. Only chains for
   * development idle; elsewhere it is the node that stands still, while operations are mined.
   */
  const noBlockBefore = async (node: RpcClient, head: Block, since: number, nowSeconds: number): Promise<number> => {
    const seconds = (clock.monotonic() - since) / 1000;
    const mayIdle =
      seconds >= STANDSTILL_SECONDS || (seconds >= GRACE_SECONDS && (await isDevelopmentChain(node, chainId)));
    const isIdle = mayIdle && (await isSynced(node));
    return isIdle ? Math.max(head.timestamp, nowSeconds) : head.timestamp;
  };

  const expire = async (chainTime: number, to: 'released' | 'unconfirmed'): Promise<void> => {
    const count = await store.expireReservations({ chainId, validUntilBefore: chainTime - GRACE_SECONDS, to });
    if (count > 0) log.info('settlement.expired', { chainId, count, outcome: to });
  };

  return async (stop) => {
    const nowSeconds = Math.floor(clock.now() / 1000);
    const node = await rpc();
    if (node === undefined) {
      await expire(nowSeconds, 'unconfirmed');
      return;
    }
    // The head comes first: what is reserved after the state was read cannot be mined in a block up to this head.
    const head = await readBlock(node, 'latest');
    const state = await store.settlementState(chainId);
    if (read?.hash !== head.hash) {
      await readThrough(node, head, state, stop);
      if (stop.aborted) return;
      read = { hash: head.hash, since: clock.monotonic() };
    }
    if (state.oldestReservedAt === undefined) return;
    await expire(await noBlockBefore(node, head, read.since, nowSeconds), 'released');
  };
};
