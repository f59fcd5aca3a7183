import type { Soon } from '../base/soon.ts';
import type { SettingsScope } from './policy-store.ts';

/** Scope of a changed setting. `other`: no decision depends on it, but engines cache it. */
export type ChangedScope = { readonly dapp: string } | { readonly chain: number } | 'desk' | 'other';

/** Name of a scope in {@link SettingsVersions}. */
export const scopeText = (scope: ChangedScope): string => {
  if (typeof scope === 'string') return scope;
  return 'dapp' in scope ? `dapp ${scope.dapp}` : `chain ${scope.chain}`;
};

/**
 * Versions of all scopes at one moment, and the total number of changes. They show whether the settings of a pending
 * decision have changed. Each DApp and chain has its own, so that a change to one DApp's rules does not delay the others.
 */
export interface SettingsVersions {
  readonly changes: number;
  readonly of: ReadonlyMap<string, number>;
}

/** Version of all settings that decisions for a DApp depend on. */
export const versionOf = ({ of }: SettingsVersions, { paymasterId, chainId }: SettingsScope): number =>
  (of.get('desk') ?? 0) + (of.get(`dapp ${paymasterId}`) ?? 0) + (of.get(`chain ${chainId}`) ?? 0);

type Key = string | number;

/** Caches settings, which every request reads and which rarely change, until one of them changes. */
export interface SettingsCache {
  /** Caches what `read` returns. Concurrent callers share one call of `read`. */
  remembered<Keys extends readonly Key[], T>(read: (...keys: Keys) => Promise<T>): (...keys: Keys) => Soon<T>;
  /** Grows with every change to a setting that decisions depend on. */
  readonly changes: () => Promise<number>;
}

/**
 * Caches results in memory. Missing values are not cached, because an attacker could fill the memory with invented
 * names.
 */
export const createSettingsMemory = () => {
  const caches: Map<Key, unknown>[] = [];
  return {
    remembered<Keys extends readonly Key[], T>(read: (...keys: Keys) => Promise<T>): (...keys: Keys) => Soon<T> {
      const cached = new Map<Key, Soon<T>>();
      caches.push(cached);
      return (...keys) => {
        const [first = '', ...others] = keys;
        const key = others.length === 0 ? first : keys.join(' ');
        const found = cached.get(key);
        if (found !== undefined) return found;
        // Frozen, because all callers get the same object.
        const reading = read(...keys).then((value) => Object.freeze(value) as T);
        cached.set(key, reading);
        const end = (value?: T): void => {
          if (cached.get(key) !== reading) return;
          if (value === undefined) cached.delete(key);
          else cached.set(key, value);
        };
        reading.then(end, () => end());
        return reading;
      };
    },
    clear: (): void => {
      for (const cached of caches) cached.clear();
    },
  };
};
