import { DatabaseError } from 'pg';
import {
  type Access,
  type Clashes,
  type SharedTransaction,
  type Steps,
  type Transaction,
  clashOf,
  step,
  stepsOf,
} from '../rows.ts';
import { adjustReservations } from './ledger.ts';
import { runSteps } from './rows.ts';
import { readVersions, versionOf } from './settings-cache.ts';
import type { Access as PostgresAccess } from './writer.ts';

const UNIQUE_VIOLATION = '23505';

const constraintOf = (error: unknown): string | undefined =>
  error instanceof DatabaseError && error.code === UNIQUE_VIOLATION ? error.constraint : undefined;

/** Access to the tables through the writer of this engine. */
export const accessOf = ({ rows, writer, cache }: PostgresAccess): Access => {
  const run = <T>(steps: (tx: Transaction & SharedTransaction) => Steps<T>, clashes?: Clashes): Promise<T> =>
    writer
      .run((tx) =>
        runSteps(
          steps({
            ...tx,
            ...stepsOf(tx),
            settingsVersion: (scope) => step(async () => versionOf(await readVersions(tx), scope)),
            adjust: (reservations, change) => step(() => adjustReservations(tx, reservations, change)),
            // The hashes of decisions are written with them.
            enterHashes: () => step(() => true),
          }),
        ),
      )
      .catch((error: unknown) => {
        throw clashOf(error, constraintOf(error), clashes);
      });
  return {
    rows,
    cache,
    write: run,
    writeShared: run,
    writeLog: (write) => writer.run(async ({ log }) => write(log)),
    enterHashes: () => Promise.resolve(),
  };
};
