import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { EngineError } from '../../../shared/errors.ts';
import { useTimer } from '../timer.ts';
import { followDecisions } from '../transport/follow-decisions.ts';
import { useTransport } from '../transport/transport.ts';
import { type Chain, type Dapp, type DecisionRow, type SystemInfo, rowOf } from './types.ts';

/** How the page stands to the engine. */
export type Connection = 'starting' | 'connected' | 'lost' | 'refused';

const TICK_MS = 5_000;
/** Decisions kept of those that came while the page was open. */
export const RECENT = 200;
/** Events are gathered for so long: at hundreds of decisions a second the page still paints ten times. */
const GATHER_MS = 100;

/** What every page needs: state of the engine, DApps, chains, and decisions as they are made. */
export const useDesk = defineStore('desk', () => {
  const transport = useTransport();
  const timer = useTimer();

  const connection = ref<Connection>('starting');
  /** Why there is no connection. */
  const fault = ref<string>();
  const info = shallowRef<SystemInfo>();
  /** The operator looks around without opening the vault. */
  const isVaultLeft = ref(false);
  const dapps = shallowRef<readonly Dapp[]>([]);
  const chainList = shallowRef<readonly Chain[]>([]);
  /** Made since the page was opened, newest first, at most {@link RECENT}. */
  const recent = shallowRef<readonly DecisionRow[]>([]);
  /** How many were made since the page was opened. */
  const made = ref(0);
  /** How many of them the last reading of `info` has counted already. */
  let counted = 0;
  const now = ref(timer.now());

  const chains = computed(() => new Map(chainList.value.map((chain) => [chain.chainId, chain])));
  /** Decisions ever made. */
  const total = computed(() => (info.value?.decisions ?? 0) + made.value - counted);
  const chainName = (chainId: number): string => chains.value.get(chainId)?.name ?? `chain ${chainId}`;
  const coin = (chainId: number): string => chains.value.get(chainId)?.symbol ?? 'native coin';

  const failed = (error: unknown): void => {
    const isRefused = error instanceof EngineError && error.code === 'OPERATOR_TOKEN_INVALID';
    connection.value = isRefused ? 'refused' : 'lost';
    fault.value = error instanceof EngineError ? error.message : 'The engine does not answer.';
  };

  /** Reads state, DApps and chains anew. */
  const refresh = async (): Promise<void> => {
    const [system, paymasters, chain] = await Promise.all([
      transport.call('system.info', {}),
      transport.call('paymasters.list', {}),
      transport.call('chains.list', {}),
    ]);
    info.value = system;
    counted = made.value;
    dapps.value = paymasters;
    chainList.value = chain;
  };

  /** Reads the state anew: what another console or the command line has changed shows within a tick. */
  const refreshInfo = async (): Promise<void> => {
    const seen = made.value + gathered.length;
    info.value = await transport.call('system.info', {});
    counted = seen;
  };

  const gathered: DecisionRow[] = [];
  let cancelGathering: (() => void) | undefined;
  const gather = (row: DecisionRow): void => {
    gathered.push(row);
    cancelGathering ??= timer.after(GATHER_MS, () => {
      cancelGathering = undefined;
      made.value += gathered.length;
      recent.value = [...gathered.splice(0).reverse(), ...recent.value].slice(0, RECENT);
    });
  };

  /** Connects, and stays connected until the returned function is called. */
  const open = (): (() => void) => {
    const stopFollowing = followDecisions(transport, timer, {
      onDecision: (decision) => gather(rowOf(decision)),
      onConnected: () => {
        refresh().then(() => {
          connection.value = 'connected';
          fault.value = undefined;
        }, failed);
      },
      onLost: failed,
    });
    let cancelTick = (): void => undefined;
    const tick = (): void => {
      now.value = timer.now();
      // A lost connection is told by the feed, which also brings it back.
      if (connection.value === 'connected') refreshInfo().catch(() => undefined);
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
    ...{ connection, fault, info, isVaultLeft, dapps, chainList, chains, recent, made, total, now },
    ...{ chainName, coin, refresh, refreshInfo, open },
  };
});
