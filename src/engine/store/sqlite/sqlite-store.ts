import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Store } from '../store.ts';
import { accountStore } from './accounts.ts';
import { chainStore } from './chains.ts';
import { decisionStore } from './decisions.ts';
import { openDatabase } from './open.ts';
import { paymasterStore } from './paymasters.ts';
import { policyStore } from './policy.ts';

const SLOW_MS = 40;

type Operation = (...args: unknown[]) => Promise<unknown>;

/** Logs operations that keep the process for longer than 40 ms: SQLite does its work before it answers. */
const watched = (store: Store, { clock, log }: { clock: Clock; log: Log }): Store => {
  const operations = Object.entries(store) as [string, Operation][];
  const timed = operations.map(([statement, run]): [string, Operation] => [
    statement,
    (...args) => {
      const start = clock.monotonic();
      const result = run(...args);
      const ms = clock.monotonic() - start;
      if (ms > SLOW_MS) log.warn('store.slow', { statement, ms: Math.round(ms) });
      return result;
    },
  ]);
  return Object.fromEntries(timed) as unknown as Store;
};

/**
 * Opens the store on a SQLite file.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE` or `DATABASE_TOO_NEW`
 */
export const openSqliteStore = (file: string, watch: { clock: Clock; log: Log }): Store => {
  const database = openDatabase(file);
  const store: Store = {
    ...accountStore(database),
    ...paymasterStore(database),
    ...policyStore(database),
    ...chainStore(database),
    ...decisionStore(database),
    async integrityFaults() {
      try {
        const rows = database.pragma('integrity_check') as { integrity_check: string }[];
        return rows.map((row) => row.integrity_check).filter((fault) => fault !== 'ok');
      } catch (error) {
        // Damaged so badly that it cannot even be checked.
        return [error instanceof Error ? error.message : String(error)];
      }
    },
    async close() {
      try {
        database.pragma('wal_checkpoint(TRUNCATE)');
      } finally {
        database.close();
      }
    },
  };
  return watched(store, watch);
};
