import type { Reads } from '../rows.ts';
import type { Store } from '../store.ts';
import type { StoreWatch } from '../store-watch.ts';
import { decisionCounts } from '../tables/decision-counts.ts';
import { decisionQueries } from '../tables/decision-queries.ts';
import { ledgerQueries } from '../tables/ledger-queries.ts';
import { logCheckStore } from '../tables/log-check.ts';
import { logStore } from '../tables/log.ts';
import { settingsStore } from '../tables/settings.ts';
import { settlementStore } from '../tables/settlements.ts';
import { accessOf } from './access.ts';
import { decisionStore } from './decisions.ts';
import { storageError } from './errors.ts';
import { createGroupCommit } from './group-commit.ts';
import { createLedger } from './ledger.ts';
import { createLogWriter } from './log.ts';
import { createSettingsVersion } from './memory.ts';
import { type SqliteDatabase, openDatabase } from './open.ts';
import { policiesInForce } from './policy-revisions.ts';
import { snapshotStore } from './snapshots.ts';
import { createSlowLog, watched } from './watched.ts';

/** Decisions are never deleted, so only new ones are counted. */
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

const storeOf = (database: SqliteDatabase, watch: StoreWatch): Store => {
  const entries = createLogWriter(database, watch);
  const ledger = createLedger(database, entries);
  const inForce = policiesInForce(database, entries);
  const settings = createSettingsVersion();
  /** The log's end and the policies in force are read again. */
  const wrote = (): void => {
    entries.undone();
    inForce.forget();
  };
  const timed = createSlowLog(watch);
  const commit = createGroupCommit(database, timed, {
    begin: entries.begin,
    save: () => ledger.save(),
    undone() {
      ledger.forget();
      wrote();
    },
  });
  const access = accessOf(database, { commit, settings, ledger, log: entries, wrote });
  const store: Store = {
    ...settingsStore(access),
    ...ledgerQueries(access),
    ...decisionStore(database, { ledger, settings, commit, entries, inForce, log: watch.log }),
    ...decisionQueries(access),
    ...decisionCounts(access.rows),
    countDecisions: decisionCounter(access.rows),
    ...settlementStore(access),
    ...snapshotStore(database, commit),
    ...logStore(access),
    ...logCheckStore(access.rows),
    async logChanges() {
      // Every commit enters them first.
      if (entries.hasChanges()) await commit.run(() => undefined);
    },
    async close() {
      await commit.drain();
      entries.reportEnd();
      try {
        database.pragma('wal_checkpoint(TRUNCATE)');
      } finally {
        database.close();
      }
    },
  };
  return watched(store, { timed, done: entries.reportEnd, onError: watch.onError });
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
