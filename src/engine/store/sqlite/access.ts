import { type Database, SqliteError } from 'better-sqlite3';
import type { DeskHead } from '../desk-head.ts';
import { LAST_ENTRY } from '../log-rows.ts';
import { takeChanges } from '../operator-changes.ts';
import { type Access, type Clashes, type Transaction, clashOf } from '../access.ts';
import { type Rows, type Steps, step, stepsOf } from '../rows.ts';
import { createSettingsMemory, scopeText, versionOf } from '../settings-cache.ts';
import type { StoreWatch } from '../store-watch.ts';
import { endHolds } from '../tables/holds.ts';
import { LAST_ACCOUNT } from '../tables/ledger.ts';
import { createPending } from '../tables/pending.ts';
import { type GroupCommit, createGroupCommit } from './group-commit.ts';
import { hashCatchUp } from './hash-index.ts';
import { keepOperatorChanges } from './operator-changes.ts';
import { readsOf, runSteps, statementsOf } from './rows.ts';
import type { SlowLog } from './slow-log.ts';

/** The unique constraint that an error reports, by the table and the last column that SQLite names. */
const constraintOf = (error: unknown): string | undefined =>
  error instanceof SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE'
    ? /(\w+\.\w+)$/.exec(error.message)?.[1]?.replace('.', '_')
    : undefined;

interface Last {
  readonly position: number;
  readonly at: number;
  readonly hash: Buffer;
}

export interface SqliteAccess extends Access {
  readonly commit: GroupCommit;
  /** Enters operators' changes that are not entered yet. */
  readonly logChanges: () => Promise<void>;
}

interface AccessOptions extends Pick<StoreWatch, 'clock' | 'onLogEnd' | 'confirm'> {
  readonly timed: SlowLog;
}

/** Access to the tables through the connection of this engine, the only one that writes: the data folder is locked. */
export const accessOf = (
  database: Database,
  { clock, onLogEnd, confirm = () => undefined, timed }: AccessOptions,
): SqliteAccess => {
  const statements = statementsOf(database);
  const steps = stepsOf(statements);
  const head: DeskHead = { ledgerVersion: 0, accounts: 0, logSize: 0, logAt: 0, logHash: null };
  const pending = createPending(head, { clock, entersHashes: false });
  // In memory, because only this process writes, and a pending decision ends with it.
  const settings = { changes: 0, of: new Map<string, number>() };
  const memory = createSettingsMemory();
  const catchUp = hashCatchUp(database, clock);
  let hasChanges = true;
  keepOperatorChanges(database, () => (hasChanges = true));

  /** Whether the head in memory matches the tables. */
  let isCurrent = false;
  const readHead = (): void => {
    if (isCurrent) return;
    const last = statements.get(LAST_ENTRY) as Last | undefined;
    head.logSize = last === undefined ? 0 : last.position + 1;
    head.logAt = last?.at ?? 0;
    head.logHash = last?.hash ?? null;
    const newest = statements.get(`SELECT ${LAST_ACCOUNT} AS newest`) as { newest: number | null };
    head.accounts = newest.newest ?? 0;
    isCurrent = true;
  };
  const tx: Transaction = {
    ...steps,
    ...pending.writing(steps),
    settingsVersion: (scope) => step(() => versionOf(settings, scope)),
    settingsChanged(scope) {
      memory.clear();
      if (scope === 'other') return;
      settings.changes += 1;
      settings.of.set(scopeText(scope), (settings.of.get(scopeText(scope)) ?? 0) + 1);
    },
    decisionsChanged: () => undefined,
    enterHashes: () => step(catchUp),
  };
  const begin = (): void => {
    readHead();
    runSteps(pending.log.begin(steps));
  };
  const save = (): void => runSteps(pending.save(steps));
  const undone = (): void => {
    isCurrent = false;
    // The changes that the transaction has taken are back in their table.
    hasChanges = true;
    pending.undone();
  };
  let reported: Buffer | null = null;
  const committed = (): void => {
    readHead();
    const { logSize: size, logHash } = head;
    if (logHash === reported || logHash === null) return;
    reported = logHash;
    onLogEnd?.({ size, hash: logHash.toString('hex') });
  };
  /** Runs before any decision that is based on these changes. */
  const enterChanges = function* (): Steps<void> {
    if (!hasChanges) return;
    const actions = yield* takeChanges(steps);
    // If some exist, the transaction that takes them may yet be rolled back.
    if (actions.length === 0) hasChanges = false;
    for (const action of actions) pending.log.append('action', action);
  };
  const commit = createGroupCommit(database, timed, {
    begin() {
      begin();
      runSteps(enterChanges());
    },
    save,
    undone,
    committed,
    confirm,
  });
  const transaction = database.transaction((write: Steps<unknown>) => {
    begin();
    const result = runSteps(write);
    save();
    return result;
  });
  const rows: Rows = { ...readsOf(statements), run: (sql, values) => commit.run(() => statements.run(sql, values)) };
  // The owner of these holds no longer runs. The next start entry in the log ends the holds.
  database.transaction(() => {
    const holds = statements.all('SELECT hold_id AS hold FROM ledger_hold') as { hold: number }[];
    if (holds.length === 0) return;
    runSteps(
      endHolds(
        { ...steps, ledger: pending.ledger },
        holds.map(({ hold }) => hold),
      ),
    );
    runSteps(pending.ledger.save(steps));
  })();
  return {
    rows,
    commit,
    cache: { ...memory, changes: async () => settings.changes },
    async write<T>(write: (tx: Transaction) => Steps<T>, clashes?: Clashes) {
      try {
        const result = transaction.immediate(write(tx)) as T;
        committed();
        await confirm();
        return result;
      } catch (error) {
        undone();
        throw clashOf(error, constraintOf(error), clashes);
      }
    },
    writeShared: (write) => commit.run(() => runSteps(write(tx))),
    writeLog: (write) => commit.run(() => write(tx.log)),
    decide: (parts, write) =>
      commit.run(() => {
        runSteps(pending.ledger.load(steps, parts));
        return runSteps(write(tx));
      }),
    decideInParts: (parts, write) =>
      commit.runInParts(() => {
        runSteps(pending.ledger.load(steps, parts));
        const second = runSteps(write(tx));
        return () => second && runSteps(second());
      }),
    async heldOf(parts) {
      try {
        runSteps(pending.ledger.load(steps, parts));
        return parts.map(pending.ledger.heldOf);
      } finally {
        // If the disk has failed, a window is known, but not its buckets.
        pending.ledger.endReading();
      }
    },
    newestAccount() {
      readHead();
      return head.accounts;
    },
    ledgerVersion: () => head.ledgerVersion,
    settingsVersion: (scope) => versionOf(settings, scope),
    async enterHashes() {
      while (!(await commit.run(catchUp)));
    },
    async logChanges() {
      // Every commit enters them first.
      if (hasChanges) await commit.run(() => undefined);
    },
  };
};
