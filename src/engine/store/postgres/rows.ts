import { createHash } from 'node:crypto';
import pg from 'pg';
import {
  type Cells,
  type Rows as CommonRows,
  type Lookup,
  type RowsWrite,
  type Steps,
  type Target,
  type Value as Scalar,
  rowNamer,
} from '../rows.ts';

/** Parameter of a statement. An array becomes a PostgreSQL array. */
export type Value = Scalar | boolean | readonly (Scalar | boolean)[];

/** Rows whose statements are prepared once per connection. */
export interface Rows extends CommonRows<Value> {
  /** Runs a statement as a part of the transaction. */
  findMany(lookup: Lookup, keys: readonly Cells[]): Promise<object[]>;
  /** Resolves when all rows are written. */
  writeMany(writes: readonly RowsWrite[]): Promise<void>;
}

/** Whole numbers are ids, positions and times, all below 2^53. Amounts are text. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

const names = new Map<string, string>();
/** Name of a prepared statement, derived from its text. */
const nameOf = (sql: string): string => {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(sql).digest('base64url').slice(0, 24);
  names.set(sql, name);
  return name;
};

/** PostgreSQL text cannot contain a NUL. Stored text has none either, so a search with a NUL finds nothing. */
export const storable = <T>(value: T): T | string =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value;

const quoted = (name: string): string => `"${name}"`;

/** A table of rows, which are passed to a statement as one array for each column. */
const given = (columns: Target['columns']): string => {
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) AS given (${Object.keys(columns).map(quoted).join(', ')})`;
};

const arraysOf = (columns: Target['columns'], rows: readonly Cells[]): Value[] =>
  Object.keys(columns).map((_, index) => rows.map((row) => row[index] ?? null) as Value);

const writeOf = ({ table, columns, as }: Target): string => {
  const names = Object.keys(columns).map(quoted);
  if (as === 'update') {
    const [key = '', ...others] = names.toReversed();
    const changes = others.map((name) => `${name} = given.${name}`);
    return `UPDATE ${table} SET ${changes.join(', ')} FROM ${given(columns)} WHERE ${table}.${key} = given.${key}`;
  }
  const insert = `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM ${given(columns)}`;
  return as === 'add' ? `${insert} ON CONFLICT DO NOTHING` : insert;
};

const readOf = ({ columns, table, keys, from }: Lookup): string => {
  const equal = Object.keys(keys).map(
    (key) => `found.${quoted(key)} ${key === from ? '>=' : '='} given.${quoted(key)}`,
  );
  return `SELECT ${columns} FROM (SELECT found.* FROM ${table} AS found JOIN ${given(keys)} ON ${equal.join(' AND ')}) AS found`;
};

/** Statements on a connection or a pool. */
export const rowsOf = (client: Pick<pg.ClientBase | pg.Pool, 'query'>): Rows => {
  const query = (sql: string, values: readonly Value[] = []): Promise<pg.QueryResult<object>> =>
    client.query({ name: nameOf(sql), text: sql, values: values.map(storable), types });
  const all = async <Row>(sql: string, values?: readonly Value[]): Promise<Row[]> => {
    const { fields, rows } = await query(sql, values);
    return rows.map(rowNamer(fields.map(({ name }) => name))) as Row[];
  };
  return {
    all,
    get: async <Row>(sql: string, values?: readonly Value[]) => (await all<Row>(sql, values))[0],
    async upTo<Row>(sql: string, values: readonly Value[], isLast: (row: Row) => boolean) {
      const rows = await all<Row>(sql, values);
      const last = rows.findIndex(isLast);
      return last === -1 ? rows : rows.slice(0, last + 1);
    },
    isBlocking: false,
    sumOf: (column) => `'0' AS high, sum(${column}::numeric)::text AS low`,
    run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
    findMany: (lookup, keys) => all(readOf(lookup), arraysOf(lookup.keys, keys)),
    async writeMany(writes) {
      const filled = writes.filter(({ rows }) => rows.length > 0);
      await Promise.all(filled.map(({ to, rows }) => query(writeOf(to), arraysOf(to.columns, rows))));
    },
  };
};

/** Runs steps whose statements return promises. */
export const runSteps = async <T>(steps: Steps<T>): Promise<T> => {
  let step = steps.next();
  while (step.done !== true) {
    step = await Promise.resolve(step.value).then(
      (result) => steps.next(result),
      (error: unknown) => steps.throw(error),
    );
  }
  return step.value;
};
