import { rmSync } from 'node:fs';
import pg from 'pg';
import { copyToSqlite } from '../../src/engine/store/postgres/copy.ts';
import { openDatabase } from '../../src/engine/store/sqlite/open.ts';

/** Names the PostgreSQL server for the tests' desks, instead of SQLite files: `npm run test:postgres`. */
const TEST_SERVER = 'GASDESK_TEST_POSTGRES';

let made = 0;
const databases = new Map<string, string>();

/** Flags that put the desk of a data folder into a PostgreSQL database, if the tests run on one. */
export const databaseFlags = async (dir: string): Promise<{ database?: string }> => {
  const server = process.env[TEST_SERVER];
  if (server === undefined) return {};
  const known = databases.get(dir);
  if (known !== undefined) return { database: known };
  made += 1;
  const name = `desk_${process.pid}_${made}`;
  const client = new pg.Client(server);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  databases.set(dir, url.href);
  return { database: url.href };
};

/** Copies the data of a stopped desk to a file in its folder, where the decisions of every test are decided again. */
export const leaveInFolder = async (dir: string, file: string): Promise<void> => {
  const url = databases.get(dir);
  if (url === undefined) return;
  rmSync(file, { force: true });
  const client = new pg.Client(url);
  await client.connect();
  const database = openDatabase(file);
  try {
    await copyToSqlite(client, database);
  } finally {
    database.close();
    await client.end();
  }
};
