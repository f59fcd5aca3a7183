import { createHash } from 'node:crypto';
import pg from 'pg';
import type { SqliteDatabase } from '../sqlite/open.ts';
import { turn } from '../rows.ts';
import { storable } from './rows.ts';

/** Format of a column. Both databases have the same tables and columns. */
interface Column {
  readonly name: string;
  readonly type: 'INTEGER' | 'TEXT' | 'BLOB';
  /** Position in the primary key, from 1 on; 0 for another column. */
  readonly pk: number;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly Column[];
  /** SQL that reads all rows of the table, in the order of the primary key. */
  readonly select: string;
}

/** Whole numbers are exact and may have any size. */
type Field = string | bigint | Uint8Array | null;
export type Row = readonly Field[];

/** A database that rows are copied from or to. */
export interface Side {
  readonly read: (sql: string) => AsyncIterable<Row[]>;
  readonly insert: (table: Table, batch: readonly Row[]) => unknown;
}

/** Maximum number of rows in memory, because a row may contain a complete request. */
const BATCH = 250;

/**
 * Table with the position up to which SQLite has filled its table of hashes. PostgreSQL's table of hashes is always
 * complete.
 */
const OF_SQLITE_ALONE = 'decision_hash_end';

const listed = (columns: readonly Column[]): string => columns.map(({ name }) => `"${name}"`).join(', ');

/** The tables in the order of their creation, so each after the tables that it refers to. */
export const tablesOf = (database: SqliteDatabase): Table[] =>
  database
    .prepare<[string], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> ? ORDER BY rowid`,
    )
    .pluck()
    .all(OF_SQLITE_ALONE)
    .map((name) => {
      const columns = database.pragma(`table_info(${name})`) as Column[];
      const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
      return { name, columns, key, select: `SELECT ${listed(columns)} FROM ${name} ORDER BY ${listed(key)}` };
    });

/** Nothing else may use this connection during a copy. */
export const sqliteSide = (database: SqliteDatabase): Side => ({
  async *read(sql) {
    let batch: Row[] = [];
    const rows = database.prepare<[]>(sql).raw().safeIntegers().iterate() as IterableIterator<Row>;
    for (const row of rows) {
      batch.push(row);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
      await turn();
    }
    if (batch.length > 0) yield batch;
  },
  insert({ name, columns }, batch) {
    const marks = columns.map(() => '?').join(', ');
    const insert = database.prepare(`INSERT INTO ${name} (${listed(columns)}) VALUES (${marks})`);
    database.transaction(() => {
      for (const row of batch) insert.run(...row);
    })();
  },
});

const PG_TYPES = { INTEGER: 'bigint[]', TEXT: 'text[]', BLOB: 'bytea[]' } as const;

const exactTypes = new pg.TypeOverrides();
exactTypes.setTypeParser(pg.types.builtins.INT8, BigInt);

/** The rows of PostgreSQL, within a transaction. */
export const postgresSide = (client: pg.ClientBase): Side => ({
  async *read(sql) {
    await client.query(`DECLARE copied NO SCROLL CURSOR FOR ${sql}`);
    for (;;) {
      const fetch = { text: `FETCH ${BATCH} FROM copied`, rowMode: 'array', types: exactTypes } as const;
      const { rows } = await client.query<Field[]>(fetch);
      if (rows.length === 0) break;
      yield rows;
    }
    await client.query('CLOSE copied');
  },
  insert({ name, columns }, batch) {
    const types = columns.map(({ type }, index) => `$${index + 1}::${PG_TYPES[type]}`).join(', ');
    const arrays = columns.map((_, index) => batch.map((row) => row[index] ?? null));
    return client.query(`INSERT INTO ${name} (${listed(columns)}) SELECT * FROM unnest(${types})`, arrays);
  },
});

const textOf = (field: Field): string | null => {
  if (typeof field === 'bigint') return String(field);
  return field instanceof Uint8Array ? Buffer.from(field).toString('hex') : field;
};

/** A hash of rows. Two tables with the same hash have the same rows in the same order. */
export const digestOf = async (batches: AsyncIterable<Row[]>): Promise<string> => {
  const hash = createHash('sha256');
  for await (const batch of batches) for (const row of batch) hash.update(JSON.stringify(row.map(textOf)));
  return hash.digest('hex');
};

/** Copies a table. A NUL in a text is replaced, as in all writes to PostgreSQL. @returns the digest of the rows */
export const copyTable = (table: Table, from: Side, to: Side, signal?: AbortSignal): Promise<string> => {
  const copied = async function* (): AsyncGenerator<Row[]> {
    for await (const batch of from.read(table.select)) {
      signal?.throwIfAborted();
      const rows = batch.map((row) => row.map(storable));
      await to.insert(table, rows);
      yield rows;
    }
  };
  return digestOf(copied());
};
