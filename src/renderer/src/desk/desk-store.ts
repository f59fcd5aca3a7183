import { defineStore } from 'pinia';
import { computed, ref, shallowRef, triggerRef } from 'vue';
import { EngineError, type ErrorCode } from '../../../shared/errors.ts';
import type { DecisionRow, FeedPage } from '../../../shared/schema/decision.ts';
import { useTimer } from '../timer.ts';
import { followFeed } from '../transport/follow-feed.ts';
import { useTransport } from '../transport/transport.ts';
import type { Chain, Dapp, SystemInfo } from './types.ts';

export type Connection = 'starting' | 'connected' | 'lost' | 'refused' | 'no-database';

const connectionAfter: Partial<Record<ErrorCode, Connection>> = {
  OPERATOR_TOKEN_INVALID: 'refused',
  STORE_UNAVAILABLE: 'no-database',
};

const TICK_MS = 5_000;
/** If the engine does not answer this many requests, one of which is sent per tick, it counts as not running. */
const MAX_UNANSWERED = 3;
/** After that, only every so many ticks a request is sent, because each unanswered request occupies a connection. */
const SELDOM = 12;
const MINUTE_MS = 60_000;
/** A smaller difference between the clocks is not visible, because the page shows minutes. */
const NOTICEABLE_MS = 10_000;
/** The maximum number of kept decisions that were made while the page was open. */
export const RECENT = 200;
/**
 * The maximum number of kept decisions that were settled, for updating lists that were read earlier. It is more than an
 * operator scrolls through.
 */
const SETTLED = 2_000;
/**
 * Feed pages are collected for this long, so that the page is painted at most ten times per second, even with hundreds
 * of decisions.
 */
const GATHER_MS = 100;

/** State that every page needs: the engine, DApps, chains, and new decisions. */
export const useDesk = defineStore('desk', () => {
  const transport = useTransport();
  const timer = useTimer();

  const connection = ref<Connection>('starting');
  const error = ref<string>();
  const info = shallowRef<SystemInfo>();
  /** True if the operator has chosen to use the console without unlocking the vault. */
  const isVaultLeft = ref(false);
  const dapps = shallowRef<readonly Dapp[]>([]);
  /** The DApp that the operator is working on. Pages select it when they open. */
  const chosenDapp = ref<string>();
  const chainList = shallowRef<readonly Chain[]>([]);
  /** Decisions made since the page was opened, newest first, at most {@link RECENT}. */
  const recent = shallowRef<readonly DecisionRow[]>([]);
  /** Number of decisions made since the page was opened. */
  const made = ref(0);
  /** The number of these decisions that the last read of `info` already counted. */
  let counted = 0;
  /** The newest decisions that settlement has changed since the page was opened, in their current state, by id. */
  const settled = shallowRef(new Map<string, DecisionRow>());
  /** How far Gasdesk's clock is ahead of this window's, in ms. Limits and their windows follow Gasdesk's clock. */
  let aheadMs = 0;
  const now = ref(timer.now());
  /** Number of feed rows received before the last tick. Totals are read again when it changes. */
  const news = ref(0);
  let rowCount = 0;
  /** Changes when feed rows arrive, and every minute, because some windows end without any event. */
  const sums = computed(() => `${news.value} ${Math.floor(now.value / MINUTE_MS)}`);

  const chains = computed(() => new Map(chainList.value.map((chain) => [chain.chainId, chain])));
  /** Number of decisions ever made. */
  const total = computed(() => (info.value?.decisions ?? 0) + made.value - counted);
  const chainName = (chainId: number): string => chains.value.get(chainId)?.name ?? `chain ${chainId}`;
  const coin = (chainId: number): string => chains.value.get(chainId)?.symbol ?? 'native coin';

  const failed = (cause: unknown): void => {
    connection.value = (cause instanceof EngineError ? connectionAfter[cause.code] : undefined) ?? 'lost';
    error.value = cause instanceof EngineError ? cause.message : 'The engine does not answer.';
  };

  /** Requests since the engine's last response. */
  let unanswered = 0;
  const answered = (): void => {
    const isHung = unanswered >= MAX_UNANSWERED && connection.value === 'lost';
    if (isHung || connection.value === 'no-database') {
      connection.value = 'connected';
      error.value = undefined;
    }
    unanswered = 0;
  };
  /** Keeps the same object if the value is equal, so that nothing is recomputed from it. */
  const keep = <T>(stored: { value: T }, now: T): void => {
    if (JSON.stringify(stored.value) !== JSON.stringify(now)) stored.value = now;
  };

  const followClock = ({ now: deskNow }: SystemInfo): void => {
    const ahead = deskNow === undefined ? 0 : deskNow - timer.now();
    if (Math.abs(ahead - aheadMs) < NOTICEABLE_MS) return;
    aheadMs = ahead;
    now.value = timer.now() + aheadMs;
  };

  /** Reads the state. @returns a function that shows it */
  const readState = async (): Promise<() => void> => {
    const seen = made.value + gathered.length;
    const [system, paymasters, chain] = await Promise.all([
      transport.call('system.info', {}),
      transport.call('paymasters.list', {}),
      transport.call('chains.list', {}),
    ]);
    return () => {
      info.value = system;
      followClock(system);
      counted = seen;
      keep(dapps, paymasters);
      keep(chainList, chain);
      answered();
    };
  };

  /**
   * Reads state, DApps and chains, so that changes made in another console or on the command line appear within a tick.
   */
  const refresh = async (): Promise<void> => {
    const show = await readState();
    show();
  };

  const refreshInfo = async (): Promise<void> => {
    const seen = made.value + gathered.length;
    info.value = await transport.call('system.info', {});
    counted = seen;
  };

  const gathered: DecisionRow[] = [];
  let cancelGathering: (() => void) | undefined;
  const gather = ({ rows }: FeedPage): void => {
    rowCount += rows.length;
    gathered.push(...rows.filter(({ isNew }) => isNew));
    for (const row of rows) {
      if (row.isNew) continue;
      settled.value.delete(row.id);
      settled.value.set(row.id, row);
    }
    cancelGathering ??= timer.after(GATHER_MS, () => {
      cancelGathering = undefined;
      made.value += gathered.length;
      recent.value = [...gathered.splice(0).reverse(), ...recent.value].slice(0, RECENT);
      for (const id of [...settled.value.keys()].slice(0, -SETTLED)) settled.value.delete(id);
      triggerRef(settled);
    });
  };

  /** Requests the state. An engine that hangs keeps its connections open, so only missing responses reveal it. */
  const beat = (): void => {
    unanswered += 1;
    if (unanswered === MAX_UNANSWERED) failed(new EngineError('INTERNAL', 'It has not answered for 10 seconds.'));
    if (unanswered > MAX_UNANSWERED && unanswered % SELDOM !== 0) return;
    refresh().catch((error: unknown) => {
      if (!(error instanceof EngineError)) return;
      // An error from the engine is a response too.
      unanswered = 0;
      if (error.code === 'STORE_UNAVAILABLE') failed(error);
    });
  };

  /** Connects. @returns a function that disconnects */
  const open = (): (() => void) => {
    // The state is read while the connection is made, and shown once the connection misses no decision.
    let state: Promise<() => void> | undefined = readState();
    state.catch(() => (state = undefined));
    const stopFollowing = followFeed(transport, timer, {
      onPage: gather,
      onConnected: () => {
        (state ?? readState()).then((show) => {
          show();
          connection.value = 'connected';
          error.value = undefined;
        }, failed);
        state = undefined;
      },
      onLost: failed,
    });
    let cancelTick = (): void => undefined;
    const tick = (): void => {
      now.value = timer.now() + aheadMs;
      news.value = rowCount;
      // If the connection is lost, the feed reports that and reconnects by itself.
      if (['connected', 'no-database'].includes(connection.value) || unanswered >= MAX_UNANSWERED) beat();
      cancelTick = timer.after(TICK_MS, tick);
    };
    tick();
    return () => {
      stopFollowing();
      cancelTick();
      cancelGathering?.();
    };
  };

  return {
    connection,
    error,
    info,
    isVaultLeft,
    dapps,
    chosenDapp,
    chainList,
    chains,
    recent,
    made,
    total,
    settled,
    now,
    news,
    sums,
    chainName,
    coin,
    refresh,
    refreshInfo,
    open,
  };
});
