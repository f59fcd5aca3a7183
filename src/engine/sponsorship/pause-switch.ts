import { reasonOf } from '../../core/decision/decide.ts';
import type { PolicyPause } from '../../core/policy/policy.ts';
import { checkPause, pause as pauseRule } from '../../core/rules/pause.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../store/store.ts';
import type { Pause } from '../store/policy-store.ts';
import type { Dapp } from '../store/registry-store.ts';
import { notSponsored } from './not-sponsored.ts';

/**
 * Pauses and resumes sponsorship for all DApps, or for one. The pauses are kept in memory, because every decision reads
 * them.
 */
export interface PauseSwitch {
  /** Null while operations are sponsored. */
  current(): Pause | null;
  ofDapp(paymasterId: string): Pause | null;
  /**
   * Sets or ends the pause of all sponsorship. Its end also ends pauses by the breakers of chains. When the promise
   * resolves, the change is durable, and no decision that starts or ends later is signed.
   */
  set(pause: Pause | null): Promise<void>;
  /** Like `set`, for the decisions of one DApp. */
  setDapp(paymasterId: string, pause: Pause | null): Promise<void>;
  /** Calls the listener after every change. @returns unsubscribes */
  onChange(listener: () => void): () => void;
  /** Reads the pauses again, because one was stored together with a decision, or by another engine. */
  refresh(): Promise<void>;
}

const isSame = (one: Pause | null, other: Pause | null): boolean =>
  one?.since === other?.since && one?.reason === other?.reason;

/** Starts with the pauses in the store. {@link PauseSwitch.refresh} reads them again. */
export const createPauseSwitch = async (store: Omit<Store, 'resumes'>, log: Log): Promise<PauseSwitch> => {
  let current = await store.findPause();
  let dapps = await store.listDappPauses();
  const listeners = new Set<() => void>();
  const logChange = (before: Pause | null, after: Pause | null, dapp: { dapp?: string } = {}): void => {
    if (isSame(before, after)) return;
    if (after === null) log.warn('sponsorship.resumed', dapp);
    else log.warn('sponsorship.paused', { ...dapp, reason: after.reason ?? 'none given' });
  };
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const use = (pause: Pause | null): void => {
    logChange(current, pause);
    current = pause;
    changed();
  };
  const useDapps = (pauses: ReadonlyMap<string, Pause>): void => {
    for (const paymasterId of new Set([...dapps.keys(), ...pauses.keys()])) {
      logChange(dapps.get(paymasterId) ?? null, pauses.get(paymasterId) ?? null, { dapp: paymasterId });
    }
    dapps = pauses;
    changed();
  };
  return {
    current: () => current,
    ofDapp: (paymasterId) => dapps.get(paymasterId) ?? null,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async set(pause) {
      await store.savePause(pause);
      use(pause);
      if (pause === null) useDapps(await store.listDappPauses());
    },
    async setDapp(paymasterId, pause) {
      await store.saveDappPause(paymasterId, pause);
      useDapps(await store.listDappPauses());
    },
    async refresh() {
      use(await store.findPause());
      useDapps(await store.listDappPauses());
    },
  };
};

/** A pause that starts now, or the existing pause, with its start time. A new reason replaces the existing reason. */
export const pausedFor = (before: Pause | null, reason = '', now: number): Pause => ({
  since: before?.since ?? now,
  reason: reason.trim() === '' ? (before?.reason ?? null) : reason.trim(),
});

/**
 * The pause that applies to a DApp: that of all sponsorship or, if all sponsorship is not paused, its own; null if
 * neither exists.
 */
const pauseOf = (pause: PauseSwitch, { paymasterId, name }: Pick<Dapp, 'paymasterId' | 'name'>): PolicyPause | null => {
  const own = pause.ofDapp(paymasterId);
  return pause.current() ?? (own && { ...own, dapp: name, paymasterId });
};

/** Required by calls that sign without a decision. @throws EngineError `NOT_SPONSORED` while sponsorship is paused */
export const requireUnpaused = ({ pause }: { pause: PauseSwitch }, dapp: Dapp): void => {
  const paused = pauseOf(pause, dapp);
  const reason = paused && reasonOf([{ rule: pauseRule.type, ...checkPause(paused) }]);
  if (reason) throw notSponsored(reason);
};
