import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../src/engine/store/schema-version.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { checkDesk, continueDesk } from '../upgrades/check-desk.ts';
import { FILES, expectedOf, fixtureVersions, sqlIn, unpackFixture } from '../upgrades/fixtures.ts';

const isLeftOut = findPostgres() === undefined && !process.env['CI'];
const reason = isLeftOut ? ' (left out: no PostgreSQL here)' : '';
const MINUTE = 60_000;

const tempFolder = useTempFolders();
let server: PostgresServer | undefined;
beforeAll(async () => {
  if (!isLeftOut) server = await startPostgres();
});
afterAll(() => server?.stop());

const query = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
};

describe.skipIf(isLeftOut).each(fixtureVersions())(`the database of version %s${reason}`, (version) => {
  const restored = async (): Promise<string> => {
    const url = await server!.createDatabase();
    await query(url, sqlIn(version, FILES.postgres));
    return url;
  };
  /** The local keys and the settings stay in the folder of each engine. */
  const start = (database: string): Promise<ServingEngine> => {
    const dir = join(tempFolder(), 'desk');
    unpackFixture(version, dir);
    return startEngine({ dir, clock: new ManualClock(expectedOf(version).at + MINUTE), flags: { database } });
  };

  test('opens, verifies and is decided again the same, and the desk continues with its limits and its log', async () => {
    const engine = await start(await restored());
    try {
      await checkDesk(engine.service.call, version);
      await continueDesk(engine, version);
    } finally {
      await engine.stop();
    }
  });

  test('is refused, with what to do, by a version that is older', async () => {
    const url = await restored();
    await query(url, `UPDATE public.gasdesk_schema SET version = ${SCHEMA_VERSION + 1}`);
    await expect(start(url)).rejects.toMatchObject({
      code: 'DATABASE_TOO_NEW',
      message: expect.stringContaining('Use a newer Gasdesk, or restore a backup.'),
    });
  });
});
