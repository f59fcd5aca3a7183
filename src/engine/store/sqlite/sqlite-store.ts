import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Store } from '../store.ts';
import { accountStore } from './accounts.ts';
import { chainStore } from './chains.ts';
import { decisionStore } from './decisions.ts';
import { feeTokenStore } from './fee-tokens.ts';
import { copyDatabase } from './copy.ts';
import { createGroupCommit } from './group-commit.ts';
import { createLedger } from './ledger.ts';
import { integrityFaults } from './integrity.ts';
import { openDatabase } from './open.ts';
import { operatorTransactionStore } from './operator-transactions.ts';
import { openPromiseStore } from './open-promises.ts';
import { paidSinceStore } from './paid-since.ts';
import { pauseStore } from './pause.ts';
import { paymasterStore } from './paymasters.ts';
import { policyStore } from './policy.ts';
import { settlementStore } from './settlements.ts';
import { storageFault } from './storage-fault.ts';
import { windowUsersStore } from './window-users.ts';
import { type SlowLog, createSlowLog } from './slow-log.ts';

type Operation = (...args: unknown[]) => Promise<unknown>;

/**
 * Watches how long each operation keeps the process, and says when the disk is to blame; the writes that share a commit
 * are watched where that is made.
 */
const watched = (store: Store, timed: SlowLog): Store => {
  const operations = Object.entries(store) as [string, Operation][];
  const watchedOnes = operations.map(([name, run]): [string, Operation] => [
    name,
    (...args) =>
      timed(name, () => run(...args)).catch((error: unknown) => {
        throw storageFault(error);
      }),
  ]);
  return Object.fromEntries(watchedOnes) as unknown as Store;
};

/**
 * Opens the store on a SQLite file.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE` or `DATABASE_TOO_NEW`
 */
export const openSqliteStore = (file: string, watch: { clock: Clock; log: Log }): Store => {
  const database = openDatabase(file);
  const ledger = createLedger(database);
  const timed = createSlowLog(watch);
  const commit = createGroupCommit(database, timed);
  const store: Store = {
    ...accountStore(database),
    ...paymasterStore(database),
    ...policyStore(database),
    ...chainStore(database, ledger.outdate),
    ...feeTokenStore(database),
    ...openPromiseStore(database),
    ...operatorTransactionStore(database, ledger.outdate),
    ...paidSinceStore(database),
    ...pauseStore(database, ledger.outdate),
    ...windowUsersStore(database),
    ...decisionStore(database, ledger, commit),
    ...settlementStore(database, ledger, commit),
    copyTo: (file, signal) => copyDatabase(database, file, signal),
    schemaVersion: () => Promise.resolve(database.pragma('user_version', { simple: true }) as number),
    integrityFaults: () => Promise.resolve(integrityFaults(database)),
    async close() {
      await commit.drain();
      try {
        database.pragma('wal_checkpoint(TRUNCATE)');
      } finally {
        database.close();
      }
    },
  };
  return watched(store, timed);
};
