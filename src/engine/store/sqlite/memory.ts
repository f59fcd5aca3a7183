import type { SettingsScope } from '../policy-store.ts';

/**
 * Spares the requests of every second what changes once a month. Only this process writes to the database (the data
 * folder is locked), so what it has read stays true until it writes. What is not there is asked for each time:
 * strangers must not fill the memory with names of their own.
 */
export const remembered = <Args extends readonly (string | number)[], Value extends object>(
  read: (...args: Args) => Value | undefined,
) => {
  const known = new Map<string, Value>();
  return {
    get(...args: Args): Value | undefined {
      const key = args.join(' ');
      const kept = known.get(key);
      if (kept !== undefined) return kept;
      const value = read(...args);
      // Frozen, since everybody gets the same object.
      if (value !== undefined) known.set(key, Object.freeze(value));
      return value;
    },
    /** To be called after every write that may change an answer. */
    forget: () => known.clear(),
  };
};

/** Keeps what it has read of a DApp until it is told that somebody else has written. */
export interface Forgetful {
  readonly forget: (paymasterId: string) => void;
}

/** Counts changes of what the operator sets, so that a decision that stands on older settings is not written. */
export interface SettingsVersion {
  /** Grows with every change within the scope. */
  of(scope: SettingsScope): number;
  /** Grows with every change of any scope. */
  changes(): number;
  /** To be called with every change of what decides for a DApp, before anything else can be written. */
  readonly dappChanged: (paymasterId: string) => void;
  /** The same for what decides for all DApps of a chain. */
  readonly chainChanged: (chainId: number) => void;
  /** The same for what decides for all DApps. */
  readonly deskChanged: () => void;
}

/**
 * The counters are in memory: only this process writes to the database, and a decision does not outlive it. They are
 * kept by DApp and by chain, so that a change of one DApp's rules does not hold up the others.
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
