import { createHash } from 'node:crypto';
import type pg from 'pg';
import { EngineError } from '../../../shared/errors.ts';
import { changeTriggers } from './operator-changes.ts';
import { SCHEMA_VERSION, hasSchema } from '../schema-version.ts';
import { tables } from './schema.ts';

/** Number of a lock with which engines that start simultaneously wait for each other. */
const CREATING = 0x6761_7303;

/** In the format of `server_version_num`: the first version that can end the sessions of a frozen engine. */
const OLDEST_SERVER = 140_000;

/** Requires a recent server. @throws EngineError `CONFIG_INVALID` */
export const requireServer = ({ server_version_num: number, server_version: name }: ServerVersion): void => {
  if (Number(number) >= OLDEST_SERVER) return;
  const message = `The database runs PostgreSQL ${name}, and Gasdesk needs PostgreSQL 14 or later. Use a newer server.`;
  throw new EngineError('CONFIG_INVALID', message, { found: name });
};

interface ServerVersion {
  readonly server_version_num: string;
  readonly server_version: string;
}

const SERVER = `SELECT current_setting('server_version_num') AS server_version_num,
  current_setting('server_version') AS server_version`;

/** Prevents engines from starting before this transaction ends. */
export const keepEnginesOut = async (client: pg.ClientBase): Promise<void> => {
  await client.query('SELECT pg_advisory_xact_lock($1, 0)', [CREATING]);
};

const currentSchema = async (client: pg.ClientBase): Promise<number> => {
  const { rows } = await client.query<{ version: string | null }>('SELECT max(version) AS version FROM gasdesk_schema');
  return Number(rows[0]?.version ?? 0);
};

const triggersHash = createHash('sha256').update(changeTriggers).digest('hex');

const currentTriggers = async (client: pg.ClientBase): Promise<string | null | undefined> =>
  (await client.query<{ triggers: string | null }>('SELECT triggers FROM gasdesk_schema LIMIT 1')).rows[0]?.triggers;

/**
 * Creates the tables in an empty database, in one transaction.
 *
 * @throws EngineError `DATABASE_TOO_NEW` or `DATABASE_TOO_OLD` if another version of Gasdesk wrote it, `CONFIG_INVALID`
 *   if the server is too old; nothing is then changed
 */
export const createSchema = async (client: pg.ClientBase): Promise<void> => {
  const { rows: servers } = await client.query<ServerVersion>(SERVER);
  for (const server of servers) requireServer(server);
  await client.query('BEGIN');
  try {
    await keepEnginesOut(client);
    await client.query('CREATE TABLE IF NOT EXISTS gasdesk_schema (version bigint PRIMARY KEY, triggers text)');
    if (!hasSchema(await currentSchema(client))) {
      await client.query(tables);
      await client.query('INSERT INTO gasdesk_schema (version) VALUES ($1)', [SCHEMA_VERSION]);
    }
    // Triggers are derived from the code. If they have not changed, no lock is needed.
    if ((await currentTriggers(client)) !== triggersHash) {
      await client.query(changeTriggers);
      await client.query('UPDATE gasdesk_schema SET triggers = $1', [triggersHash]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
};
