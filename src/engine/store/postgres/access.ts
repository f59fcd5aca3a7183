import { DatabaseError } from 'pg';
import { type Access, type Clashes, type Transaction, clashOf } from '../access.ts';
import { type Steps, stepsOf } from '../rows.ts';
import { createLedger } from '../tables/ledger.ts';
import { type Commits, createCommits } from './commits.ts';
import { type Rows, runSteps } from './rows.ts';
import { versionOf } from '../settings-cache.ts';
import type { SettingsCache } from './settings-cache.ts';
import type { Writer } from './writer.ts';

const UNIQUE_VIOLATION = '23505';

const constraintOf = (error: unknown): string | undefined =>
  error instanceof DatabaseError && error.code === UNIQUE_VIOLATION ? error.constraint : undefined;

interface AccessOptions {
  /** Reads outside of any transaction. */
  readonly rows: Rows;
  readonly writer: Writer;
  readonly cache: SettingsCache;
}

/** Access to the tables through the writer of this engine. */
export const accessOf = ({ rows, writer, cache }: AccessOptions): Access & Pick<Commits, 'drain'> => {
  const commits = createCommits(writer);
  const run = <T>(steps: (tx: Transaction) => Steps<T>, clashes?: Clashes): Promise<T> =>
    writer
      .run((tx) => runSteps(steps(tx)))
      .catch((error: unknown) => {
        throw clashOf(error, constraintOf(error), clashes);
      });
  return {
    rows,
    cache,
    write: run,
    writeShared: run,
    writeLog: (write) => writer.run(async ({ log }) => write(log)),
    decide: (parts, steps) => commits.run({ parts, steps }),
    decideInParts: (parts, steps) => commits.runInParts({ parts, steps }),
    drain: () => commits.drain(),
    async heldOf(parts) {
      const ledger = createLedger({ accounts: 0 });
      await runSteps(ledger.load(stepsOf(rows), parts));
      return parts.map(ledger.heldOf);
    },
    newestAccount: () => undefined,
    ledgerVersion: () => writer.ledgerVersion(),
    settingsVersion: async (scope) => versionOf(await cache.versions(), scope),
    enterHashes: () => Promise.resolve(),
  };
};
