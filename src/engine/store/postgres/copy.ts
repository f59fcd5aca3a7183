import type pg from 'pg';
import { CompactTree } from '../../../core/log/merkle-tree.ts';
import { EngineError } from '../../../shared/errors.ts';
import { sha256 } from '../../base/sha256.ts';
import { LAST_ENTRY, LOG_SIZE } from '../log-rows.ts';
import { hashCatchUp } from '../sqlite/hash-index.ts';
import { LAST_ACCOUNT } from '../tables/ledger.ts';
import type { SqliteDatabase } from '../sqlite/open.ts';
import { type Side, type Table, copyTable, digestOf, postgresSide, sqliteSide, tablesOf } from './copied-rows.ts';
import { createSchema, keepEnginesOut } from './create-schema.ts';
import { type Rows, rowsOf } from './rows.ts';
import { enginesOf } from './session.ts';

/** Content of a database, for comparison. */
export interface DatabaseContent {
  readonly decisions: number;
  readonly logEntries: number;
  /** Root of the log's tree, hex. */
  readonly logRoot: string;
}

/** The content of both databases after the copy. Each database reports its own, and both must be equal. */
export interface CopyResult {
  readonly source: DatabaseContent;
  readonly copy: DatabaseContent;
}

/** Removes the rows that the creation of the schema inserts. */
const MADE_WITH_THE_SCHEMA = 'DELETE FROM desk; DELETE FROM sponsorship_resume';

const contentOf = async ({ read }: Side): Promise<DatabaseContent> => {
  const tree = new CompactTree(sha256);
  let logEntries = 0;
  for await (const batch of read('SELECT hash FROM log ORDER BY position')) {
    logEntries += batch.length;
    for (const [hash] of batch) tree.append(hash as Uint8Array);
  }
  let decisions = 0;
  for await (const [row] of read('SELECT count(*) FROM decision')) decisions = Number(row?.[0] ?? 0);
  return { decisions, logEntries, logRoot: Buffer.from(tree.root()).toString('hex') };
};

const requireSame = (what: string, one: string, other: string): void => {
  if (one !== other) throw new EngineError('INTERNAL', `The copy of ${what} differs from the original.`);
};

const requireSameContent = (source: DatabaseContent, copy: DatabaseContent): CopyResult => {
  requireSame('the log', JSON.stringify(source), JSON.stringify(copy));
  return { source, copy };
};

interface Copied {
  readonly table: Table;
  readonly digest: string;
}

const copyTables = async (tables: readonly Table[], from: Side, to: Side, signal?: AbortSignal): Promise<Copied[]> => {
  const copied: Copied[] = [];
  for (const table of tables) copied.push({ table, digest: await copyTable(table, from, to, signal) });
  return copied;
};

const requireSameTables = async (copied: readonly Copied[], { read }: Side, signal?: AbortSignal): Promise<void> => {
  for (const { table, digest } of copied) {
    signal?.throwIfAborted();
    requireSame(`the table ${table.name}`, digest, await digestOf(read(table.select)));
  }
};

const SET_HEAD = `UPDATE desk_head SET
  decisions = (SELECT count(*) FROM decision),
  accounts = coalesce(${LAST_ACCOUNT}, 0),
  log_size = ${LOG_SIZE},
  log_at = coalesce((SELECT at FROM (${LAST_ENTRY}) AS last), 0),
  log_hash = (SELECT hash FROM (${LAST_ENTRY}) AS last)`;

/** The last number that was assigned in a table: no number is assigned twice, even if rows are deleted. */
interface LastNumber {
  readonly name: string;
  readonly last: number;
}

const LAST_IN_SQLITE = 'SELECT name, seq AS last FROM sqlite_sequence WHERE seq > 0';

const LAST_IN_POSTGRES = `SELECT name, last FROM (
    SELECT table_name AS name,
      pg_sequence_last_value(pg_get_serial_sequence(table_name, column_name)::regclass) AS last
    FROM information_schema.columns WHERE is_identity = 'YES' AND table_schema = current_schema()) AS numbered
  WHERE last IS NOT NULL`;

const continueInPostgres = async (
  rows: Rows,
  tables: readonly Table[],
  given: readonly LastNumber[],
): Promise<void> => {
  for (const { name, last } of given) {
    const column = tables.find((table) => table.name === name)?.key[0]?.name ?? null;
    await rows.run('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [name, column, last]);
  }
};

const continueInSqlite = (database: SqliteDatabase, given: readonly LastNumber[]): void => {
  const forget = database.prepare<[string]>('DELETE FROM sqlite_sequence WHERE name = ?');
  const remember = database.prepare<[string, bigint]>('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
  for (const { name, last } of given) {
    forget.run(name);
    remember.run(name, BigInt(last));
  }
};

const notEmpty = (message: string): EngineError => new EngineError('DATABASE_NOT_EMPTY', message);

const SCHEMA = `SELECT to_regclass('gasdesk_schema') IS NOT NULL AS "isOurs",
  EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema()) AS "hasTables"`;

/** The program to which the tables in a database belong. */
const schemaOf = async (rows: Rows): Promise<{ isOurs: boolean; hasTables: boolean }> =>
  (await rows.get<{ isOurs: boolean; hasTables: boolean }>(SCHEMA)) ?? { isOurs: false, hasTables: false };

const requireEmpty = async (client: pg.ClientBase, rows: Rows): Promise<void> => {
  const used = await rows.get(
    'SELECT 1 FROM account UNION ALL SELECT 1 FROM log UNION ALL SELECT 1 FROM vault LIMIT 1',
  );
  if (used !== undefined) throw notEmpty('The database already contains Gasdesk data. Name an empty one');
  if ((await enginesOf(client)).length > 0) {
    throw notEmpty('An engine uses that database. Stop the engine, or name an empty database');
  }
};

/** Enters the hashes of all decisions, in batches, and records the progress of each. */
const enterHashes = (database: SqliteDatabase): void => {
  const enterSome = database.transaction(hashCatchUp(database));
  while (!enterSome.immediate());
};

/** The SQLite database and the vault of an installation. */
export interface SqliteDesk {
  readonly database: SqliteDatabase;
  /** The sealed vault, if one exists. */
  readonly vault: string | undefined;
}

/**
 * Copies a SQLite database into an empty PostgreSQL database, in one transaction, and compares every row before it
 * commits. A NUL in a text, which PostgreSQL cannot store, is replaced as in all other writes.
 *
 * @param desk the database, on which no engine runs, and the sealed vault
 * @throws EngineError `DATABASE_NOT_EMPTY`, `DATABASE_TOO_NEW` or `DATABASE_TOO_OLD`
 */
export const copyToPostgres = async (desk: SqliteDesk, client: pg.ClientBase): Promise<CopyResult> => {
  const { database, vault } = desk;
  const rows = rowsOf(client);
  const [from, to] = [sqliteSide(database), postgresSide(client)];
  const { isOurs, hasTables } = await schemaOf(rows);
  if (hasTables && !isOurs) throw notEmpty('That database contains tables of another program. Name an empty one');
  await createSchema(client);
  enterHashes(database);
  await client.query('BEGIN');
  try {
    await keepEnginesOut(client);
    await requireEmpty(client, rows);
    await client.query(MADE_WITH_THE_SCHEMA);
    const tables = tablesOf(database);
    await requireSameTables(await copyTables(tables, from, to), to);
    // No engine has this number: the first one to start releases these holds.
    await rows.run('UPDATE ledger_hold SET engine = 0');
    await rows.run(SET_HEAD);
    await continueInPostgres(rows, tables, database.prepare<[], LastNumber>(LAST_IN_SQLITE).all());
    if (vault !== undefined) await rows.run('INSERT INTO vault VALUES (1, $1)', [vault]);
    const copied = requireSameContent(await contentOf(from), await contentOf(to));
    await client.query('COMMIT');
    return copied;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

/** The result of a copy from a database that engines may be using. */
export interface TakenOut extends CopyResult {
  /** The sealed vault, if one exists. */
  readonly vault: string | undefined;
  /** Number of engines that use the database. */
  readonly engines: number;
}

/**
 * Copies the state of a PostgreSQL database at one moment into a new SQLite database, and compares every row. Does not
 * flush the file to disk.
 *
 * @param database contains the tables, and no rows
 * @throws the signal's reason
 */
export const copyToSqlite = async (
  client: pg.ClientBase,
  database: SqliteDatabase,
  signal?: AbortSignal,
): Promise<TakenOut> => {
  const rows = rowsOf(client);
  const [from, to] = [postgresSide(client), sqliteSide(database)];
  // An interrupted copy is discarded anyway.
  database.pragma('synchronous = OFF');
  database.exec(MADE_WITH_THE_SCHEMA);
  const taken = await (async () => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const copied = await copyTables(tablesOf(database), from, to, signal);
      continueInSqlite(database, await rows.all<LastNumber>(LAST_IN_POSTGRES));
      const vault = (await rows.get<{ sealed: string }>('SELECT sealed FROM vault'))?.sealed;
      return { copied, source: await contentOf(from), vault, engines: (await enginesOf(client)).length };
    } finally {
      await client.query('ROLLBACK').catch(() => undefined);
    }
  })();
  database.exec('UPDATE decision_hash_end SET seq = (SELECT coalesce(max(seq), 0) FROM decision)');
  // The transaction must not be idle here: the server would end it before this client continues.
  await requireSameTables(taken.copied, to, signal);
  const { vault, engines } = taken;
  return { ...requireSameContent(taken.source, await contentOf(to)), vault, engines };
};

/**
 * Checks that a database contains Gasdesk's tables, in this version.
 *
 * @throws EngineError `CONFIG_INVALID` if the database has no such tables, and is left unchanged; `DATABASE_TOO_NEW`,
 *   `DATABASE_TOO_OLD`
 */
export const requireDesk = async (client: pg.ClientBase): Promise<void> => {
  const rows = rowsOf(client);
  const isDesk = (await schemaOf(rows)).isOurs && (await rows.get('SELECT 1 FROM account')) !== undefined;
  if (!isDesk) throw new EngineError('CONFIG_INVALID', 'That database contains no Gasdesk data');
  await createSchema(client);
};
