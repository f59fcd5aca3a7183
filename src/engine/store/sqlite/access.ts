import { type Database, SqliteError } from 'better-sqlite3';
import {
  type Access,
  type Clashes,
  type LogEntries,
  type Rows,
  type SharedTransaction,
  type Steps,
  type Transaction,
  clashOf,
  step,
  stepsOf,
} from '../rows.ts';
import { createSettingsMemory } from '../settings-cache.ts';
import type { GroupCommit } from './group-commit.ts';
import { hashCatchUp } from './hash-index.ts';
import type { Ledger } from './ledger.ts';
import type { SettingsVersion } from './memory.ts';
import { readsOf, runSteps, statementsOf } from './rows.ts';

/** The unique constraint that an error reports, by its table and the column that SQLite names last. */
const constraintOf = (error: unknown): string | undefined =>
  error instanceof SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE'
    ? /(\w+\.\w+)$/.exec(error.message)?.[1]?.replace('.', '_')
    : undefined;

interface AccessOptions {
  readonly commit: GroupCommit;
  readonly settings: SettingsVersion;
  readonly ledger: Pick<Ledger, 'advanceLedger' | 'adjust'>;
  readonly log: LogEntries;
  /** Called after every write that is a transaction of its own, even if it was undone. */
  readonly wrote: () => void;
}

/** Access to the tables through the connection of this engine. */
export const accessOf = (database: Database, { commit, settings, ledger, log, wrote }: AccessOptions): Access => {
  const statements = statementsOf(database);
  const rows: Rows = { ...readsOf(statements), run: (sql, values) => commit.run(() => statements.run(sql, values)) };
  const steps = stepsOf(statements);
  const catchUp = hashCatchUp(database);
  const shared: SharedTransaction = {
    ...steps,
    log,
    adjust: (reservations, change) => step(() => ledger.adjust(reservations, change)),
    decisionsChanged: () => undefined,
    enterHashes: () => step(catchUp),
  };
  // Only this process writes to the database: the data folder is locked.
  const memory = createSettingsMemory();
  const inTransaction = database.transaction((of: Steps<unknown>) => runSteps(of));
  return {
    rows,
    cache: { ...memory, changes: async () => settings.changes() },
    async write<T>(write: (tx: Transaction) => Steps<T>, clashes?: Clashes) {
      const effects: (() => void)[] = [];
      const tx: Transaction = {
        ...steps,
        log,
        settingsVersion: (scope) => step(() => settings.of(scope)),
        settingsChanged: (scope) => effects.push(memory.clear, () => settings.changed(scope)),
        advanceLedger: () => effects.push(ledger.advanceLedger),
      };
      try {
        const result = inTransaction(write(tx)) as T;
        for (const effect of effects) effect();
        return result;
      } catch (error) {
        throw clashOf(error, constraintOf(error), clashes);
      } finally {
        wrote();
      }
    },
    writeShared: (write) => commit.run(() => runSteps(write(shared))),
    writeLog: (write) => commit.run(() => write(log)),
    async enterHashes() {
      while (!(await commit.run(catchUp)));
    },
  };
};
