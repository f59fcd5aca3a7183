import type { SettingsScope } from '../policy-store.ts';

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
  /** Call with every change of what decides for a DApp, before any other write. */
  readonly dappChanged: (paymasterId: string) => void;
  /** The same for what decides for all DApps of a chain. */
  readonly chainChanged: (chainId: number) => void;
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
  const advance = <Key>(counters: Map<Key, number>, key: Key): void => {
    counters.set(key, (counters.get(key) ?? 0) + 1);
    all += 1;
  };
  return {
    of: ({ paymasterId, chainId }) => desk + (dapps.get(paymasterId) ?? 0) + (chains.get(chainId) ?? 0),
    changes: () => all,
    dappChanged: (paymasterId) => advance(dapps, paymasterId),
    chainChanged: (chainId) => advance(chains, chainId),
    deskChanged() {
      desk += 1;
      all += 1;
    },
  };
};
