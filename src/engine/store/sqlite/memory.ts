import type { SettingsScope } from '../policy-store.ts';
import type { ChangedScope } from '../settings-cache.ts';

/**
 * Caches what every request reads and what rarely changes. Only this process writes to the database (the data folder is
 * locked), so cached values stay valid until it writes. Missing values are not cached: an attacker must not fill the
 * memory with invented names.
 */
export const remembered = <Args extends readonly (string | number)[], Value extends object>(
  read: (...args: Args) => Value | undefined,
) => {
  const known = new Map<string, Value>();
  return {
    get(...args: Args): Value | undefined {
      const key = args.join(' ');
      const cached = known.get(key);
      if (cached !== undefined) return cached;
      const value = read(...args);
      // Frozen, since all callers get the same object.
      if (value !== undefined) known.set(key, Object.freeze(value));
      return value;
    },
    /** Call after every write that may change a value. */
    forget: () => known.clear(),
  };
};

/** Caches data of a DApp until another part of the store writes it. */
export interface DappCache {
  readonly forget: (paymasterId: string) => void;
}

/** Counts changes of settings, so that a decision based on older settings is not written. */
export interface SettingsVersion {
  /** Grows with every change within the scope. */
  of(scope: SettingsScope): number;
  /** Grows with every change of any scope. */
  changes(): number;
  /** Call with every change of what decides within a scope, before any other write. */
  readonly changed: (scope: ChangedScope) => void;
  /** The same for what decides for a DApp. */
  readonly dappChanged: (paymasterId: string) => void;
  /** The same for what decides for all DApps. */
  readonly deskChanged: () => void;
}

/**
 * Counters are in memory: only this process writes to the database, and a pending decision does not outlive it. They
 * are separate per DApp and chain, so that a change of one DApp's rules does not delay the others.
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
    dappChanged: (dapp) => changed({ dapp }),
    deskChanged: () => changed('desk'),
  };
};
