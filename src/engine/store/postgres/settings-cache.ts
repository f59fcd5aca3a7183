import type { SettingsScope } from '../policy-store.ts';
import { type ChangedScope, type SettingsCache as CommonCache, createSettingsMemory } from '../settings-cache.ts';
import type { Rows } from './rows.ts';

export type { ChangedScope };

/** Name of a scope in the database. */
export const scopeText = (scope: ChangedScope): string => {
  if (typeof scope === 'string') return scope;
  return 'dapp' in scope ? `dapp ${scope.dapp}` : `chain ${scope.chain}`;
};

/** Versions of all scopes at one moment, and the total number of changes. */
export interface SettingsVersions {
  readonly changes: number;
  readonly of: ReadonlyMap<string, number>;
}

/** Version of everything that decides for a DApp. */
export const versionOf = ({ of }: SettingsVersions, { paymasterId, chainId }: SettingsScope): number =>
  [scopeText('desk'), scopeText({ dapp: paymasterId }), scopeText({ chain: chainId })].reduce(
    (sum, scope) => sum + (of.get(scope) ?? 0),
    0,
  );

export const readVersions = async (rows: Rows): Promise<SettingsVersions> => {
  const found = await rows.all<{ changes: number; scope: string | null; version: number | null }>(
    `SELECT settings_changes AS changes, scope, version FROM desk_head LEFT JOIN settings_version ON true`,
  );
  const pairs = found.flatMap(({ scope, version }): [string, number][] =>
    scope === null ? [] : [[scope, version ?? 0]],
  );
  return { changes: found[0]?.changes ?? 0, of: new Map(pairs) };
};

/**
 * Caches settings, which every request reads and which change rarely. Other engines write too, so the cache may be out
 * of date for a moment. Its versions are then out of date as well, so no decision based on it is written. Versions are
 * read before everything else: they are never newer than the cached data.
 */
export interface SettingsCache extends CommonCache {
  readonly versions: () => Promise<SettingsVersions>;
  /** The cached value, or the result of `read`, called once for concurrent callers. Missing values are not cached. */
  readonly get: <T>(name: string, read: () => Promise<T>) => Promise<T>;
  /** Number of changes in the cached versions; undefined while none are cached. */
  readonly knownChanges: () => number | undefined;
  readonly clear: () => void;
}

export const createSettingsCache = (rows: Rows): SettingsCache => {
  const memory = createSettingsMemory();
  let cached = new Map<string, Promise<unknown>>();
  let versions: Promise<SettingsVersions> | undefined;
  let known: number | undefined;
  const read = (): Promise<SettingsVersions> => {
    if (versions !== undefined) return versions;
    const reading = readVersions(rows);
    versions = reading;
    void reading.then(
      ({ changes }) => {
        if (versions === reading) known = changes;
      },
      () => {
        if (versions === reading) versions = undefined;
      },
    );
    return reading;
  };
  /** After a clear, starts again with the versions. */
  const upToDate = async (): Promise<void> => {
    let reading: Promise<SettingsVersions>;
    do {
      reading = read();
      await reading;
    } while (versions !== reading);
  };
  return {
    versions: read,
    knownChanges: () => known,
    changes: async () => (await read()).changes,
    remembered(find) {
      const remembered = memory.remembered(find);
      return async (...keys) => {
        await upToDate();
        return remembered(...keys);
      };
    },
    async get<T>(name: string, find: () => Promise<T>): Promise<T> {
      await upToDate();
      const generation = cached;
      const found = generation.get(name);
      if (found !== undefined) return found as Promise<T>;
      // Frozen, since all callers get the same object.
      const finding = find().then((value) => Object.freeze(value));
      generation.set(name, finding);
      // A result for an old generation is dropped.
      const forget = (): void => void generation.delete(name);
      void finding.then((value: unknown) => {
        if (value === undefined) forget();
      }, forget);
      return finding;
    },
    clear() {
      memory.clear();
      cached = new Map();
      versions = undefined;
      known = undefined;
    },
  };
};
