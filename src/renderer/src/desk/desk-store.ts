import { defineStore } from 'pinia';
import { computed, ref, shallowRef, triggerRef } from 'vue';
import { EngineError } from '../../../shared/errors.ts';
import type { DecisionRow, FeedPage } from '../../../shared/schema/decision.ts';
import { useTimer } from '../timer.ts';
import { followFeed } from '../transport/follow-feed.ts';
import { useTransport } from '../transport/transport.ts';
import type { Chain, Dapp, SystemInfo } from './types.ts';

export type Connection = 'starting' | 'connected' | 'lost' | 'refused';

const TICK_MS = 5_000;
/** An engine that leaves this many questions unanswered, one a tick, is not running. */
const MAX_UNANSWERED = 3;
/** Ticks between questions from then on, since each question keeps a connection. */
const SELDOM = 12;
const MINUTE_MS = 60_000;
/** A smaller clock difference does not show: the page shows minutes. */
const NOTICEABLE_MS = 10_000;
/** Most decisions kept that were made while the page was open. */
export const RECENT = 200;
/** Most settled decisions kept, for lists that were read before: more than an operator scrolls through. */
const SETTLED = 2_000;
/** Feed pages are collected this long: at hundreds of decisions a second the page still paints ten times. */
const GATHER_MS = 100;

/** State that every page needs: the engine, DApps, chains, and new decisions. */
export const useDesk = defineStore('desk', () => {
  const transport = useTransport();
  const timer = useTimer();

  const connection = ref<Connection>('starting');
  const error = ref<string>();
  const info = shallowRef<SystemInfo>();
  /** The operator uses the console without unlocking the vault. */
  const isVaultLeft = ref(false);
  const dapps = shallowRef<readonly Dapp[]>([]);
  /** The DApp that the operator works on; pages open with it. */
  const chosenDapp = ref<string>();
  const chainList = shallowRef<readonly Chain[]>([]);
  /** Made since the page was opened, newest first, at most {@link RECENT}. */
  const recent = shallowRef<readonly DecisionRow[]>([]);
  /** Number of decisions made since the page was opened. */
  const made = ref(0);
  /** How many of them the last read of `info` already counts. */
  let counted = 0;
  /** Newest decisions that settlement has changed since the page was opened, by id, in their current state. */
  const settled = shallowRef(new Map<string, DecisionRow>());
  /** Lead of the desk's clock over this window's, ms. Limits and windows follow the desk's clock. */
  let aheadMs = 0;
  const now = ref(timer.now());
  /** Feed rows up to the last tick: totals are read again when it changes. */
  const news = ref(0);
  let rowCount = 0;
  /** Changes with the news and every minute, since time alone ends some windows. */
  const sums = computed(() => `${news.value} ${Math.floor(now.value / MINUTE_MS)}`);

  const chains = computed(() => new Map(chainList.value.map((chain) => [chain.chainId, chain])));
  /** Decisions ever made. */
  const total = computed(() => (info.value?.decisions ?? 0) + made.value - counted);
  const chainName = (chainId: number): string => chains.value.get(chainId)?.name ?? `chain ${chainId}`;
  const coin = (chainId: number): string => chains.value.get(chainId)?.symbol ?? 'native coin';

  const failed = (cause: unknown): void => {
    const isRefused = cause instanceof EngineError && cause.code === 'OPERATOR_TOKEN_INVALID';
    connection.value = isRefused ? 'refused' : 'lost';
    error.value = cause instanceof EngineError ? cause.message : 'The engine does not answer.';
  };

  /** Questions since the engine's last answer. */
  let unanswered = 0;
  const answered = (): void => {
    if (unanswered >= MAX_UNANSWERED && connection.value === 'lost') {
      connection.value = 'connected';
      error.value = undefined;
    }
    unanswered = 0;
  };
  /** An equal value stays the same object, so that nothing computed from it is computed again. */
  const keep = <T>(stored: { value: T }, now: T): void => {
    if (JSON.stringify(stored.value) !== JSON.stringify(now)) stored.value = now;
  };

  const followClock = ({ now: deskNow }: SystemInfo): void => {
    const ahead = deskNow === undefined ? 0 : deskNow - timer.now();
    if (Math.abs(ahead - aheadMs) < NOTICEABLE_MS) return;
    aheadMs = ahead;
    now.value = timer.now() + aheadMs;
  };

  /** Reads state, DApps and chains, so that changes by another console or the command line show within a tick. */
  const refresh = async (): Promise<void> => {
    const seen = made.value + gathered.length;
    const [system, paymasters, chain] = await Promise.all([
      transport.call('system.info', {}),
      transport.call('paymasters.list', {}),
      transport.call('chains.list', {}),
    ]);
    info.value = system;
    followClock(system);
    counted = seen;
    keep(dapps, paymasters);
    keep(chainList, chain);
    answered();
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

  /** Reads the state. An engine that hangs keeps its connections; only missing answers show it. */
  const beat = (): void => {
    unanswered += 1;
    if (unanswered === MAX_UNANSWERED) failed(new EngineError('INTERNAL', 'It has not answered for 10 seconds.'));
    if (unanswered > MAX_UNANSWERED && unanswered % SELDOM !== 0) return;
    refresh().catch((error: unknown) => {
      // A refusal is an answer, too.
      if (error instanceof EngineError) unanswered = 0;
    });
  };

  /** Connects. @returns a function that disconnects */
  const open = (): (() => void) => {
    const stopFollowing = followFeed(transport, timer, {
      onPage: gather,
      onConnected: () => {
        refresh().then(() => {
          connection.value = 'connected';
          error.value = undefined;
        }, failed);
      },
      onLost: failed,
    });
    let cancelTick = (): void => undefined;
    const tick = (): void => {
      now.value = timer.now() + aheadMs;
      news.value = rowCount;
      // The feed reports a lost connection and reconnects.
      if (connection.value === 'connected' || unanswered >= MAX_UNANSWERED) beat();
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
