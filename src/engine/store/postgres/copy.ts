import type pg from 'pg';
import { CompactTree } from '../../../core/log/merkle-tree.ts';
import { EngineError } from '../../../shared/errors.ts';
import { sha256 } from '../../base/sha256.ts';
import { LAST_ENTRY, LOG_SIZE } from '../log-rows.ts';
import { hashCatchUp } from '../sqlite/hash-index.ts';
import type { SqliteDatabase } from '../sqlite/open.ts';
import {
  type Row,
  type Table,
  createDigest,
  digestOf,
  listed,
  postgresLots,
  quoted,
  sqliteLots,
  tablesOf,
} from './copied-rows.ts';
import { createSchema, keepEnginesOut } from './create-schema.ts';
import { type Rows, rowsOf, storable } from './rows.ts';
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

const PG_TYPES = { INTEGER: 'bigint[]', TEXT: 'text[]', BLOB: 'bytea[]' } as const;

/** Removes the rows that the creation of the schema inserts. */
const MADE_WITH_THE_SCHEMA = 'DELETE FROM desk; DELETE FROM sponsorship_resume';

const LEAVES = 'SELECT hash FROM log ORDER BY position';
const DECISIONS = 'SELECT count(*) FROM decision';

const holdingOf = async (read: (sql: string) => AsyncIterable<Row[]>): Promise<DatabaseContent> => {
  const tree = new CompactTree(sha256);
  let logEntries = 0;
  for await (const batch of read(LEAVES)) {
    logEntries += batch.length;
    for (const [hash] of batch) tree.append(hash as Uint8Array);
  }
  let decisions = 0;
  for await (const [row] of read(DECISIONS)) decisions = Number(row?.[0] ?? 0);
  return { decisions, logEntries, logRoot: Buffer.from(tree.root()).toString('hex') };
};

const requireSame = (what: string, one: string, other: string): void => {
  if (one !== other) throw new EngineError('INTERNAL', `The copy of ${what} differs from the original.`);
};

const requireSameHolding = (source: DatabaseContent, copy: DatabaseContent): CopyResult => {
  requireSame('the log', JSON.stringify(source), JSON.stringify(copy));
  return { source, copy };
};

const placedTables = async (rows: Rows): Promise<ReadonlySet<string>> => {
  const found = await rows.all<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND column_name = 'place'`,
  );
  return new Set(found.map(({ name }) => name));
};

const SET_HEAD = `UPDATE desk_head SET
  decisions = (SELECT count(*) FROM decision),
  accounts = (SELECT coalesce(max(account_id), 0) FROM ledger_account),
  log_size = ${LOG_SIZE},
  log_at = coalesce((SELECT at FROM (${LAST_ENTRY}) AS last), 0),
  log_hash = (SELECT hash FROM (${LAST_ENTRY}) AS last)`;

/** Columns that PostgreSQL numbers, and the last number of each. */
const IDENTITIES = `SELECT table_name AS "table", column_name AS "column",
    pg_sequence_last_value(pg_get_serial_sequence(table_name, column_name)::regclass) AS last
  FROM information_schema.columns WHERE is_identity = 'YES' AND table_schema = current_schema()`;

interface Identity {
  readonly table: string;
  readonly column: string;
  readonly last: number | null;
}

/** The last number assigned in each table. SQLite never reuses a number, even if rows are deleted. */
const LAST_GIVEN = 'SELECT name, seq FROM sqlite_sequence';

/** PostgreSQL continues after the numbers that SQLite assigned. */
const continueInPostgres = async (rows: Rows, database: SqliteDatabase): Promise<void> => {
  const given = database.prepare<[], { name: string; seq: number }>(LAST_GIVEN).all();
  const lastOf = new Map(given.map(({ name, seq }) => [name, seq]));
  for (const { table, column } of await rows.all<Identity>(IDENTITIES)) {
    await rows.run(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), last)
       FROM (SELECT greatest(max(${quoted(column)}), nullif($1::bigint, 0)) AS last FROM ${quoted(table)}) AS given
       WHERE last IS NOT NULL`,
      [lastOf.get(table) ?? null],
    );
  }
};

/** SQLite itself continues after the greatest number among the inserted rows. */
const continueInSqlite = (database: SqliteDatabase, identities: readonly Identity[]): void => {
  const remembers = database
    .prepare<[string]>(`SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'`)
    .pluck();
  const forget = database.prepare<[string]>('DELETE FROM sqlite_sequence WHERE name = ?');
  const remember = database.prepare<[string, bigint]>('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
  for (const { table, last } of identities) {
    if (last === null || remembers.get(table) === undefined) continue;
    forget.run(table);
    remember.run(table, BigInt(last));
  }
};

const notEmpty = (message: string): EngineError => new EngineError('DATABASE_NOT_EMPTY', message);

const SCHEMA = `SELECT to_regclass('gasdesk_schema') IS NOT NULL AS "isOurs",
  EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema()) AS "hasTables"`;

/** The program to which the tables in a database belong. */
const schemaOf = async (rows: Rows): Promise<{ isOurs: boolean; hasTables: boolean }> =>
  (await rows.get<{ isOurs: boolean; hasTables: boolean }>(SCHEMA)) ?? { isOurs: false, hasTables: false };

/** Creates the tables, unless tables of another program exist. */
const makeTables = async (client: pg.ClientBase, rows: Rows): Promise<void> => {
  const { isOurs, hasTables } = await schemaOf(rows);
  if (hasTables && !isOurs) throw notEmpty('That database contains tables of another program. Name an empty one');
  await createSchema(client);
};

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
  await makeTables(client, rows);
  enterHashes(database);
  await client.query('BEGIN');
  try {
    await keepEnginesOut(client);
    await requireEmpty(client, rows);
    await client.query(MADE_WITH_THE_SCHEMA);
    for (const table of tablesOf(database, await placedTables(rows))) {
      const types = table.columns.map(({ type }, index) => `$${index + 1}::${PG_TYPES[type]}`).join(', ');
      const insert = `INSERT INTO ${quoted(table.name)} (${listed(table)}) SELECT * FROM unnest(${types})`;
      const source = createDigest();
      for await (const batch of sqliteLots(database, table.inSqlite)) {
        const stored = batch.map((row) => row.map(storable));
        const column = (index: number) => stored.map((row) => row[index] ?? null);
        await rows.run(
          insert,
          table.columns.map((_, index) => column(index)),
        );
        source.add(stored);
      }
      requireSame(`the table ${table.name}`, source.text(), await digestOf(postgresLots(client, table.inPostgres)));
    }
    // No engine has this number: the first one to start releases these holds.
    await rows.run('UPDATE ledger_hold SET engine = 0');
    await rows.run(SET_HEAD);
    await continueInPostgres(rows, database);
    if (vault !== undefined) await rows.run('INSERT INTO vault VALUES (1, $1)', [vault]);
    const source = await holdingOf((sql) => sqliteLots(database, sql));
    const copied = requireSameHolding(source, await holdingOf((sql) => postgresLots(client, sql)));
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

const fillTable = async (
  { client, database, signal }: { client: pg.ClientBase; database: SqliteDatabase; signal?: AbortSignal | undefined },
  table: Table,
): Promise<string> => {
  const marks = table.columns.map(() => '?').join(', ');
  const insert = database.prepare(`INSERT INTO ${quoted(table.name)} (${listed(table)}) VALUES (${marks})`);
  const insertBatch = database.transaction((batch: readonly Row[]) => {
    for (const row of batch) insert.run(...row);
  });
  const source = createDigest();
  for await (const batch of postgresLots(client, table.inPostgres)) {
    signal?.throwIfAborted();
    insertBatch(batch);
    source.add(batch);
  }
  return source.text();
};

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
  // An interrupted copy is discarded anyway.
  database.pragma('synchronous = OFF');
  database.exec(MADE_WITH_THE_SCHEMA);
  const filled: { table: Table; digest: string }[] = [];
  const taken = await (async () => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const tables = tablesOf(database, await placedTables(rows));
      for (const table of tables) {
        filled.push({ table, digest: await fillTable({ client, database, signal }, table) });
      }
      continueInSqlite(database, await rows.all<Identity>(IDENTITIES));
      return {
        source: await holdingOf((sql) => postgresLots(client, sql)),
        vault: (await rows.get<{ sealed: string }>('SELECT sealed FROM vault'))?.sealed,
        engines: (await enginesOf(client)).length,
      };
    } finally {
      await client.query('ROLLBACK').catch(() => undefined);
    }
  })();
  database.exec('UPDATE decision_hash_end SET seq = (SELECT coalesce(max(seq), 0) FROM decision)');
  // The transaction must not be idle here: the server would end it before this client continues.
  for (const { table, digest } of filled) {
    signal?.throwIfAborted();
    requireSame(`the table ${table.name}`, digest, await digestOf(sqliteLots(database, table.inSqlite)));
  }
  const copied = requireSameHolding(taken.source, await holdingOf((sql) => sqliteLots(database, sql)));
  return { ...copied, vault: taken.vault, engines: taken.engines };
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
