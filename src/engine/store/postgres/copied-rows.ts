import { createHash } from 'node:crypto';
import pg from 'pg';
import type { SqliteDatabase } from '../sqlite/open.ts';
import { turn } from '../rows.ts';

/** Format of a column. Both databases have the same tables and columns. */
interface Column {
  readonly name: string;
  readonly type: 'INTEGER' | 'TEXT' | 'BLOB';
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** SQL that reads all rows of the table, in an order that is the same in both databases. */
  readonly inSqlite: string;
  readonly inPostgres: string;
}

/** Whole numbers are exact and may have any size. */
export type Field = string | bigint | Uint8Array | null;
export type Row = readonly Field[];

/** Maximum number of rows in memory, because a row may contain a complete request. */
const BATCH = 250;

/**
 * Table with the position up to which SQLite has filled its table of hashes. PostgreSQL's table of hashes is always
 * complete.
 */
const OF_SQLITE_ALONE = 'decision_hash_end';

export const quoted = (name: string): string => `"${name}"`;

export const listed = ({ columns }: Pick<Table, 'columns'>): string =>
  columns.map(({ name }) => quoted(name)).join(', ');

/**
 * The tables, each after the tables that it refers to.
 *
 * @param placed tables with an explicit row order: `place` in PostgreSQL, the rowid in SQLite
 */
export const tablesOf = (database: SqliteDatabase, placed: ReadonlySet<string>): Table[] => {
  const names = database
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .pluck()
    .all()
    .filter((name) => name !== OF_SQLITE_ALONE);
  const ordered = new Map<string, Table>();
  const enter = (name: string): void => {
    if (ordered.has(name)) return;
    const references = database.pragma(`foreign_key_list(${name})`) as { table: string }[];
    for (const { table } of references) if (table !== name) enter(table);
    const columns = database.pragma(`table_info(${name})`) as (Column & { pk: number })[];
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    const keyed = listed({ columns: key });
    const rows = `SELECT ${listed({ columns })} FROM ${quoted(name)} ORDER BY`;
    const [inSqlite, inPostgres] = placed.has(name) ? ['rowid', 'place'] : [keyed, keyed];
    ordered.set(name, { name, columns, inSqlite: `${rows} ${inSqlite}`, inPostgres: `${rows} ${inPostgres}` });
  };
  for (const name of names) enter(name);
  return [...ordered.values()];
};

/** Reads rows of SQLite, and lets other work run in between. Nothing else may use this connection meanwhile. */
export async function* sqliteLots(database: SqliteDatabase, sql: string): AsyncGenerator<Row[]> {
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
}

const exactTypes = new pg.TypeOverrides();
exactTypes.setTypeParser(pg.types.builtins.INT8, BigInt);

/** Reads rows of PostgreSQL within a transaction. */
export async function* postgresLots(client: pg.ClientBase, sql: string): AsyncGenerator<Row[]> {
  await client.query(`DECLARE copied NO SCROLL CURSOR FOR ${sql}`);
  for (;;) {
    const { rows } = await client.query<Field[]>({
      text: `FETCH ${BATCH} FROM copied`,
      rowMode: 'array',
      types: exactTypes,
    });
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query('CLOSE copied');
}

const textOf = (field: Field): string | null => {
  if (typeof field === 'bigint') return String(field);
  return field instanceof Uint8Array ? Buffer.from(field).toString('hex') : field;
};

/** Computes a hash of rows. Two tables with the same hash contain the same rows in the same order. */
export const createDigest = () => {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(batch: readonly Row[]): void {
      rows += batch.length;
      for (const row of batch) hash.update(JSON.stringify(row.map(textOf)));
    },
    text: () => `${rows} ${hash.digest('hex')}`,
  };
};

export const digestOf = async (batches: AsyncIterable<Row[]>): Promise<string> => {
  const digest = createDigest();
  for await (const batch of batches) digest.add(batch);
  return digest.text();
};
