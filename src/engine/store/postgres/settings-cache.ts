import { type SettingsCache as CommonCache, type SettingsVersions, createSettingsMemory } from '../settings-cache.ts';
import type { Rows } from './rows.ts';

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
 * Caches settings. Because other engines write too, the cache may be out of date for a moment. Its versions are then
 * out of date as well, so no decision based on it is written. Versions are read before everything else, so they are
 * never newer than the cached data.
 */
export interface SettingsCache extends CommonCache {
  readonly versions: () => Promise<SettingsVersions>;
  /** Number of changes in the cached versions; undefined while none are cached. */
  readonly knownChanges: () => number | undefined;
  readonly clear: () => void;
}

export const createSettingsCache = (rows: Rows): SettingsCache => {
  const memory = createSettingsMemory();
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
  return {
    versions: read,
    knownChanges: () => known,
    changes: async () => (await read()).changes,
    remembered(find) {
      const cached = memory.remembered(find);
      return async (...keys) => {
        let reading: Promise<SettingsVersions>;
        do {
          reading = read();
          await reading;
          // If the cache was cleared meanwhile, read everything again, starting with the versions.
        } while (versions !== reading);
        return cached(...keys);
      };
    },
    clear() {
      memory.clear();
      versions = undefined;
      known = undefined;
    },
  };
};
