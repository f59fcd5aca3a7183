import type { Reads } from '../rows.ts';
import type { Store } from '../store.ts';
import type { StoreWatch } from '../store-watch.ts';
import { decisionCounts } from '../tables/decision-counts.ts';
import { decisionQueries } from '../tables/decision-queries.ts';
import { decisionStore } from '../tables/decisions.ts';
import { ledgerQueries } from '../tables/ledger-queries.ts';
import { logCheckStore } from '../tables/log-check.ts';
import { logStore } from '../tables/log.ts';
import { costStore } from '../tables/operation-costs.ts';
import { searchIndex } from '../tables/search-index.ts';
import { settingsStore } from '../tables/settings.ts';
import { settlementStore } from '../tables/settlements.ts';
import { accessOf } from './access.ts';
import { storageError } from './errors.ts';
import { type SqliteDatabase, openDatabase } from './open.ts';
import { snapshotStore } from './snapshots.ts';
import { createSlowLog, watched } from './watched.ts';

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

const storeOf = (database: SqliteDatabase, watch: StoreWatch): Store => {
  const timed = createSlowLog(watch);
  const access = accessOf(database, { ...watch, timed });
  const { releaseLost: _, ...decisions } = decisionStore(access, { log: watch.log, engine: ALONE });
  const index = searchIndex(access);
  const store: Store = {
    ...settingsStore(access),
    ...ledgerQueries(access),
    ...decisions,
    ...decisionQueries(access, index),
    fillSearchIndex: index.fillSearchIndex,
    ...decisionCounts(access.rows),
    countDecisions: decisionCounter(access.rows),
    ...settlementStore(access),
    ...costStore(access),
    ...snapshotStore(database, access.commit),
    ...logStore(access),
    ...logCheckStore(access.rows),
    logChanges: access.logChanges,
    async close() {
      await access.commit.drain();
      try {
        database.pragma('wal_checkpoint(TRUNCATE)');
      } finally {
        database.close();
      }
    },
  };
  return watched(store, { timed, onError: watch.onError });
};

/**
 * Opens the store on a SQLite file.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE`, `DATABASE_TOO_NEW`, or `STORAGE_FAILED` if the file is damaged
 */
export const openSqliteStore = (file: string, watch: StoreWatch): Store => {
  const database = openDatabase(file);
  try {
    return storeOf(database, watch);
  } catch (error) {
    database.close();
    throw storageError(error) ?? error;
  }
};
