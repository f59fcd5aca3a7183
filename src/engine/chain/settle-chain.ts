import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { MinedUserOperation, SettlementState, SettlementStore } from '../store/settlement-store.ts';
import { isDevelopmentChain } from './development-chain.ts';
import type { RpcClient } from './rpc.ts';
import { createIdentifier } from './sponsored-hashes.ts';
import { withUsedNonce } from './used-nonces.ts';
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

/** What a chain's time may differ from ours by: reservations outlive their `validUntil` by it (behaviour 6.5). */
const GRACE_SECONDS = 120;
/** How long a public chain's head stands still before the chain, and not its node, is taken to have stopped. */
const STANDSTILL_SECONDS = 1_800;
/** Most operations are mined long before: until then nobody asks whether the nonce of one that never expires is used. */
const ENDLESS_MS = 10 * 60_000;
/** How often that is asked, and of how many reservations at once: an operator pays a provider for each. */
const NONCES = { everyMs: 60_000, atOnce: 20 };

/** The newest block from before a time, or an older one; the first block if there is none. */
const blockBefore = async (rpc: RpcClient, head: Block, seconds: number): Promise<number> => {
  let block = head;
  for (let back = 16; block.number > 0 && block.timestamp >= seconds; back *= 4) {
    block = await readBlock(rpc, Math.max(0, head.number - back));
  }
  return block.number;
};

/** The last block that holds one of the operations; -1 where there are none. */
const lastBlockOf = (mined: readonly MinedUserOperation[]): number =>
  mined.reduce((last, { blockNumber }) => Math.max(last, blockNumber), -1);

/**
 * Makes the function that brings a chain's decisions up to date, once per call: operations that were mined are
 * settled, those that a re-org took back are reserved again, and reservations of operations that can no longer be
 * mined end: at their expiry or, without one, once their nonce is used. It throws when the node or the store does not
 * answer properly; the next call then goes on where it was.
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
   * When a reservation was last seen, unix seconds; a restart does not know of an earlier one. Where the chain's time is
   * behind it, blocks may yet hold operations whose reservations ended by our clock.
   */
  let reservedAt: number | undefined;
  /** When nonces were last asked for (monotonic ms), and the last of the reservations that were asked about. */
  let nonces = { askedAt: -Infinity, after: 0 };

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

  const tellUnmatched = ({ transactionHash, userOpHash, sender }: MinedUserOperation, count: number): void =>
    log.warn('settlement.unmatched', { chainId, transactionHash, userOpHash, sender, count });

  /** Reads everything up to the head. */
  const readThrough = async (node: RpcClient, head: Block, state: SettlementState, stop: AbortSignal) => {
    const mayBeLate = reservedAt !== undefined && head.timestamp < reservedAt - GRACE_SECONDS;
    let isReserved = state.oldestReservedAt !== undefined || mayBeLate;
    activeThrough ??= state.cursor ?? -1;
    const { from: start, knownThrough } = await resume(node, head, state);
    for (let from = start; from <= head.number && !stop.aborted;) {
      if (!isReserved && from > activeThrough) {
        await store.moveSettlementCursor(chainId, head.number);
        return;
      }
      const { mined: found, toBlock } = await readOperations(node, state, from, head.number);
      const mined = await identify(node, found);
      // Blocks above the head are gone, and with them what was mined there.
      const through = Math.max(toBlock, knownThrough);
      const range = toBlock === head.number ? { toBlock: through, cursor: toBlock } : { toBlock, cursor: through };
      const { putBack, unmatched } = await store.applySettlements({ chainId, fromBlock: from, mined, ...range });
      for (const { mined: operation, decisions } of unmatched) tellUnmatched(operation, decisions);
      if (putBack > 0) log.warn('settlement.re-org', { chainId, count: putBack, from, to: toBlock });
      isReserved ||= putBack > 0;
      activeThrough = Math.max(activeThrough, isReserved ? toBlock : lastBlockOf(mined));
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

  /**
   * Releases reservations without an expiry whose nonce is used, by what no re-org takes back. That block has been read:
   * what was mined with our paymaster is settled or unconfirmed, so these were not.
   */
  const releaseUsed = async (node: RpcClient, head: Block): Promise<void> => {
    const block = head.number - overlapBlocks;
    if (block < 0 || clock.monotonic() - nonces.askedAt < NONCES.everyMs) return;
    const query = { chainId, after: nonces.after, madeBefore: clock.now() - ENDLESS_MS, most: NONCES.atOnce };
    const endless = await store.endlessReservations(query);
    const used = await withUsedNonce(node, endless, block);
    if (used.length > 0) {
      await store.releaseReservations(used.map(({ seq }) => seq));
      log.info('settlement.nonce-used', { chainId, count: used.length });
    }
    const after = endless.length < NONCES.atOnce ? 0 : (endless.at(-1)?.seq ?? 0);
    nonces = { askedAt: clock.monotonic(), after };
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
    if (state.oldestReservedAt !== undefined) reservedAt = nowSeconds;
    reservedAt ??= nowSeconds;
    if (read?.hash !== head.hash) {
      // A failure on the way leaves the store between two branches, and the chain may go back to the first.
      read = undefined;
      await readThrough(node, head, state, stop);
      if (stop.aborted) return;
      read = { hash: head.hash, since: clock.monotonic() };
    }
    if (state.oldestReservedAt === undefined) return;
    await expire(await noBlockBefore(node, head, read.since, nowSeconds), 'released');
    await releaseUsed(node, head);
  };
};
