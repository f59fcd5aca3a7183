import { once } from 'node:events';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/engine/base/secret.ts';
import { closable, configOf } from '../../src/engine/store/postgres/connection.ts';
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
