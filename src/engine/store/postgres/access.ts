import { DatabaseError } from 'pg';
import { type Access, clashOf, stepsOf } from '../rows.ts';
import { runSteps } from './rows.ts';
import { readVersions, versionOf } from './settings-cache.ts';
import type { Access as PostgresAccess } from './writer.ts';

const UNIQUE_VIOLATION = '23505';

const constraintOf = (error: unknown): string | undefined =>
  error instanceof DatabaseError && error.code === UNIQUE_VIOLATION ? error.constraint : undefined;

/** Access to the tables through the writer of this engine. */
export const accessOf = ({ rows, writer, cache }: PostgresAccess): Access => {
  const write: Access['write'] = (steps, clashes) =>
    writer
      .run((tx) =>
        runSteps(
          steps({
            ...tx,
            ...stepsOf(tx),
            *settingsVersion(scope) {
              return (yield readVersions(tx).then((versions) => versionOf(versions, scope))) as number;
            },
          }),
        ),
      )
      .catch((error: unknown) => {
        throw clashOf(error, constraintOf(error), clashes);
      });
  return { rows, cache, write, writeShared: write, writeLog: (enter) => writer.run(async ({ log }) => enter(log)) };
};
