import type { SettingsScope } from '../policy-store.ts';
import type { Rows } from './rows.ts';

/** Whose settings a change is about. `other`: no decision stands on it, but engines keep it. */
export type ChangedScope = { readonly dapp: string } | { readonly chain: number } | 'desk' | 'other';

/** How a scope is named in the database. */
export const scopeText = (scope: ChangedScope): string => {
  if (typeof scope === 'string') return scope;
  return 'dapp' in scope ? `dapp ${scope.dapp}` : `chain ${scope.chain}`;
};

/** The versions of all scopes at one moment, and how many changes there had been. */
export interface SettingsVersions {
  readonly changes: number;
  /** By scope. */
  readonly of: ReadonlyMap<string, number>;
}

/** The version of what decides for a DApp. */
export const versionOf = ({ of }: SettingsVersions, { paymasterId, chainId }: SettingsScope): number =>
  [scopeText('desk'), scopeText({ dapp: paymasterId }), scopeText({ chain: chainId })].reduce(
    (sum, scope) => sum + (of.get(scope) ?? 0),
    0,
  );

/** The versions of all scopes as they are now. */
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
 * Spares the requests of every second what changes once a month. Other engines write, too: what is kept may be out of date
 * for a moment, and so is the version that is kept with it, so that no decision by it is written. Versions are read before
 * anything else is kept: they are never newer than what they stand for.
 */
export interface SettingsCache {
  readonly versions: () => Promise<SettingsVersions>;
  /** What was kept under that name, or what `read` finds: once for all who ask meanwhile. What is not there is not kept. */
  readonly get: <T>(name: string, read: () => Promise<T>) => Promise<T>;
  /** How many changes the kept versions know of; undefined while none are kept. */
  readonly knownChanges: () => number | undefined;
  readonly clear: () => void;
}

/** A cache of one engine; it is empty at first. */
export const createSettingsCache = (rows: Rows): SettingsCache => {
  let kept = new Map<string, Promise<unknown>>();
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
    async get<T>(name: string, find: () => Promise<T>): Promise<T> {
      let reading: Promise<SettingsVersions>;
      do {
        reading = read();
        await reading;
        // What was cleared meanwhile begins with its versions again.
      } while (versions !== reading);
      const generation = kept;
      const found = generation.get(name);
      if (found !== undefined) return found as Promise<T>;
      // Frozen, since everybody gets the same object.
      const finding = find().then((value) => Object.freeze(value));
      generation.set(name, finding);
      // Of a generation that is over it goes nowhere.
      const forget = (): void => void generation.delete(name);
      void finding.then((value: unknown) => {
        if (value === undefined) forget();
      }, forget);
      return finding;
    },
    clear() {
      kept = new Map();
      versions = undefined;
      known = undefined;
    },
  };
};
