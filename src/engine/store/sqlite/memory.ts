import type { SettingsScope } from '../policy-store.ts';
import type { ChangedScope } from '../settings-cache.ts';

/** Counts changes to settings, so that a decision based on older settings is not written. */
export interface SettingsVersion {
  /** Grows with every change in the scope. */
  of(scope: SettingsScope): number;
  /** Grows with every change in any scope. */
  changes(): number;
  /** Must be called for every change to settings in this scope on which decisions depend, before any other write. */
  readonly changed: (scope: ChangedScope) => void;
}

/**
 * Creates the counters. They are in memory, because only this process writes to the database, and a pending decision
 * ends with the process. Each DApp and chain has its own counter, so that a change to one DApp's rules does not delay
 * the others.
 */
export const createSettingsVersion = (): SettingsVersion => {
  const dapps = new Map<string, number>();
  const chains = new Map<number, number>();
  let [desk, all] = [0, 0];
  const changed = (scope: ChangedScope): void => {
    if (scope === 'other') return;
    all += 1;
    if (scope === 'desk') desk += 1;
    else if ('dapp' in scope) dapps.set(scope.dapp, (dapps.get(scope.dapp) ?? 0) + 1);
    else chains.set(scope.chain, (chains.get(scope.chain) ?? 0) + 1);
  };
  return {
    of: ({ paymasterId, chainId }) => desk + (dapps.get(paymasterId) ?? 0) + (chains.get(chainId) ?? 0),
    changes: () => all,
    changed,
  };
};
