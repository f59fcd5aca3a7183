import type { Reads } from '../rows.ts';
import { type Store, storeOf, watched } from '../store.ts';
import type { StoreWatch } from '../store-watch.ts';
import { accessOf } from './access.ts';
import { storageError } from './errors.ts';
import { type SqliteDatabase, openDatabase } from './open.ts';
import { createSlowLog } from './slow-log.ts';
import { snapshotStore } from './snapshots.ts';

/** Counts decisions. They are never deleted, so only new ones need to be counted. */
const decisionCounter = (rows: Reads): Store['countDecisions'] => {
  let counted = { count: 0, upTo: 0 };
  return async () => {
    const before = counted;
    const added = await rows.get<{ count: number; upTo: number | null }>(
      'SELECT count(*) AS count, max(seq) AS up_to FROM decision WHERE seq > $1',
      [before.upTo],
    );
    counted = { count: before.count + (added?.count ?? 0), upTo: added?.upTo ?? before.upTo };
    return counted.count;
  };
};

/** The number of the only engine. */
const ALONE = 0;

/** Operations that only read memory, and run before every decision. They are not measured. */
const UNMEASURED: readonly string[] = ['ledgerVersion', 'settingsVersion'] satisfies (keyof Store)[];

const sqliteStore = (database: SqliteDatabase, { onError, ...watch }: StoreWatch): Store => {
  const timed = createSlowLog(watch);
  const access = accessOf(database, { ...watch, timed });
  const store = storeOf(
    access,
    { log: watch.log, engine: ALONE },
    {
      ...snapshotStore(database, access.commit),
      countDecisions: decisionCounter(access.rows),
      logChanges: access.logChanges,
      async close() {
        await access.commit.drain();
        try {
          database.pragma('wal_checkpoint(TRUNCATE)');
        } finally {
          database.close();
        }
      },
    },
  );
  const failed = (cause: unknown): never => {
    const error = storageError(cause);
    if (error === undefined) throw cause;
    onError?.(error);
    throw error;
  };
  // Writes that share a commit are measured where the commit runs.
  return watched(store, { timed: (name, run) => (UNMEASURED.includes(name) ? run() : timed(name, run)), failed });
};

/**
 * Opens the store on a SQLite file.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE`, `DATABASE_TOO_NEW`, or `STORAGE_FAILED` if the file is damaged
 */
export const openSqliteStore = (file: string, watch: StoreWatch): Store => {
  const database = openDatabase(file);
  try {
    return sqliteStore(database, watch);
  } catch (error) {
    database.close();
    throw storageError(error) ?? error;
  }
};
