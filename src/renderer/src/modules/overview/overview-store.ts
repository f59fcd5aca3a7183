import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { ProcedureOutput } from '../../../../shared/contract/index.ts';
import { useTimer } from '../../timer.ts';
import { useTransport } from '../../transport/transport.ts';

/** State of the engine. */
export type SystemInfo = ProcedureOutput<'system.info'>;
/** A DApp. */
export type Dapp = ProcedureOutput<'paymasters.list'>[number];
/** A chain and how its coin is called. */
export type Chain = ProcedureOutput<'chains.list'>[number];
/** A decision already made. */
export type Decision = ProcedureOutput<'decisions.list'>[number];

const POLL_MS = 3_000;
const DECISIONS = 50;

/** What the overview shows, read again every few seconds while somebody looks. */
export const useOverview = defineStore('overview', () => {
  const transport = useTransport();
  const timer = useTimer();
  const info = shallowRef<SystemInfo>();
  const dapps = shallowRef<Dapp[]>([]);
  const chains = shallowRef<ReadonlyMap<number, Chain>>(new Map());
  /** What the operator is reading: it changes in place, and grows only when asked to. */
  const decisions = shallowRef<Decision[]>([]);
  const latest = shallowRef<Decision[]>([]);
  const now = ref(timer.now());
  /** Why the last reading failed. */
  const fault = ref<string>();
  const readAt = ref<number>();

  const waiting = computed(() => {
    const newestShown = decisions.value[0]?.seq ?? 0;
    return latest.value.filter(({ seq }) => seq > newestShown).length;
  });

  const showLatest = (): void => {
    decisions.value = latest.value;
  };

  const read = async (): Promise<void> => {
    const [system, paymasters, chainList, list] = await Promise.all([
      transport.call('system.info', {}),
      transport.call('paymasters.list', {}),
      transport.call('chains.list', {}),
      transport.call('decisions.list', { limit: DECISIONS }),
    ]);
    info.value = system;
    dapps.value = paymasters;
    chains.value = new Map(chainList.map((chain) => [chain.chainId, chain]));
    latest.value = list;
    const bySeq = new Map(list.map((decision) => [decision.seq, decision]));
    decisions.value = decisions.value.map((shown) => bySeq.get(shown.seq) ?? shown);
    if (decisions.value.length === 0) showLatest();
  };

  const refresh = async (): Promise<void> => {
    try {
      await read();
      fault.value = undefined;
      readAt.value = timer.now();
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
    }
    now.value = timer.now();
  };

  /** Reads now and from then on. @returns stops it */
  const watch = (): (() => void) => {
    let stopped = false;
    let cancel = (): void => undefined;
    const poll = async (): Promise<void> => {
      await refresh();
      if (!stopped) cancel = timer.after(POLL_MS, () => void poll());
    };
    void poll();
    return () => {
      stopped = true;
      cancel();
    };
  };

  return { info, dapps, chains, decisions, waiting, now, fault, readAt, showLatest, watch };
});
