import { once } from 'node:events';
import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/engine/base/secret.ts';
import { systemClock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { closable, configOf } from '../../src/engine/store/postgres/connection.ts';
import { openPostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { findPostgres, startPostgres } from '../support/postgres.ts';

it.runIf(findPostgres() !== undefined)('closes a connection to a database that does not answer any more', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const { config, closeAll } = closable(configOf(new Secret(await server.createDatabase())));
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const [backend] = rows;
  expect(backend).toBeDefined();
  const pid = backend?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => void process.kill(pid, 'SIGCONT'));

  const closed = once(client, 'end');
  const ended = client.end();
  closeAll();
  await Promise.all([ended, closed]);
});

/** Shorter than the longest query, longer than two late answers. */
const SOON_MS = 25_000;

it.runIf(findPostgres() !== undefined)('requests do not wait long for a database that has become silent', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const line = await startDatabaseProxy(await server.createDatabase());
  onTestFinished(() => line.stop());
  const lines: string[] = [];
  const log = createLog({ level: 'warn', write: (text) => void lines.push(text) });
  const { store } = await openPostgresDatabase(new Secret(line.url), { clock: systemClock, log });
  onTestFinished(() => store.close());
  line.swallow();
  const reading = store.schemaVersion().catch((error: unknown) => error);
  const tooLong = wait(SOON_MS, 'still waiting', { ref: false });
  expect(await Promise.race([reading, tooLong])).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(lines[0]).toMatch(`"host":"127.0.0.1","port":"${new URL(line.url).port}"`);
  line.mend();
  await expect.poll(() => store.schemaVersion().catch(() => undefined)).toBeDefined();
});
