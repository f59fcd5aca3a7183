import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ChainAccess } from './chain-access.ts';
import { createPollLoop } from './poll-loop.ts';
import { REORG_BLOCKS } from './reorg-depth.ts';
import type { RpcClient } from './rpc.ts';
import { createChainSettler } from './settle-chain.ts';
import type { SettlementStore } from '../store/tables/settlements.ts';

export interface SettlementOptions {
  readonly store: SettlementStore;
  readonly chains: Pick<ChainAccess, 'rpc'>;
  /** Called after each poll of a chain with a node. */
  readonly afterPoll?: (chainId: number, rpc: RpcClient) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** Settles only while this returns true. Default: always. */
  readonly isLeader?: () => boolean;
  /** Interval between polls of a chain, ms. */
  readonly everyMs?: number;
  /** The deepest re-org that is detected, in blocks. Default: {@link REORG_BLOCKS}. */
  readonly overlapBlocks?: number;
  /** Maximum blocks per request to a node. Fewer are requested if it refuses. */
  readonly maxRangeBlocks?: number;
}

/** Replaces reservations with the operations' actual on-chain cost (behaviour 6.4). */
export interface Settlement {
  /** Starts watching every chain that has or gets sponsored operations. */
  start(): void;
  /** Polls every chain once, after polls in flight. Returns false if a chain was unreachable. */
  pollNow(): Promise<boolean>;
  /** When a chain was last checked, epoch ms; undefined if never. */
  polledAt(chainId: number): number | undefined;
  /** Waits for the polls in flight, and cancels all timers. It cannot be restarted. */
  stop(): Promise<void>;
}

/** One watcher per chain, so that a slow or unreachable node does not delay other chains. */
export const createSettlement = (options: SettlementOptions): Settlement => {
  const { overlapBlocks = REORG_BLOCKS, isLeader = () => true } = options;
  const { store, chains, clock, log, everyMs = 4_000, maxRangeBlocks = 2_000, afterPoll } = options;
  const watchers = new Map<number, ReturnType<typeof createPollLoop>>();
  const polled = new Map<number, number>();
  let isStarted = false;

  const watch = (chainId: number): void => {
    const rpc = () => chains.rpc(chainId);
    let settle: ReturnType<typeof createChainSettler> | undefined;
    const poll = async (stop: AbortSignal): Promise<void> => {
      if (!isLeader()) {
        // Its cache is out of date once another engine has read further blocks.
        settle = undefined;
        polled.delete(chainId);
        return;
      }
      settle ??= createChainSettler({ chainId, rpc, store, clock, log, overlapBlocks, maxRangeBlocks });
      await settle(stop);
      polled.set(chainId, clock.now());
      const node = afterPoll && !stop.aborted ? await rpc() : undefined;
      if (node !== undefined) await afterPoll?.(chainId, node);
    };
    const watcher = createPollLoop({ clock, log, chainId, everyMs, poll });
    watchers.set(chainId, watcher);
    if (isStarted) watcher.start();
  };

  const discovery = createPollLoop({
    clock,
    log,
    everyMs,
    poll: async () => {
      if (!isLeader()) return;
      for (const chainId of await store.settlementChains()) if (!watchers.has(chainId)) watch(chainId);
    },
  });

  return {
    start() {
      isStarted = true;
      for (const watcher of watchers.values()) watcher.start();
      discovery.start();
    },
    polledAt: (chainId) => polled.get(chainId),
    async pollNow() {
      const found = await discovery.pollNow();
      const all = await Promise.all([...watchers.values()].map((watcher) => watcher.pollNow()));
      return found && all.every(Boolean);
    },
    async stop() {
      // Discovery may still find a chain.
      isStarted = false;
      await Promise.all([discovery, ...watchers.values()].map((loop) => loop.stop()));
    },
  };
};
