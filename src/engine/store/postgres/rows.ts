import { createHash } from 'node:crypto';
import pg from 'pg';

/** Parameter of a statement. An array becomes a PostgreSQL array. */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | null
  | readonly (string | number | bigint | boolean | Uint8Array | null)[];

/** Runs statements, each prepared once per connection. Whole numbers are returned as numbers, bytes as buffers. */
export interface Rows {
  all<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  get<Row>(sql: string, values?: readonly Value[]): Promise<Row | undefined>;
  /** @returns number of rows affected */
  run(sql: string, values?: readonly Value[]): Promise<number>;
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

/** PostgreSQL text cannot contain a NUL, nor can any name: such a search finds nothing. */
export const storable = <T>(value: T): T | string =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value;

/** Statements on a connection or a pool. */
export const rowsOf = (client: Pick<pg.ClientBase | pg.Pool, 'query'>): Rows => {
  const query = (sql: string, values: readonly Value[] = []) =>
    client.query({ name: nameOf(sql), text: sql, values: values.map(storable), types });
  return {
    all: async <Row>(sql: string, values?: readonly Value[]) => (await query(sql, values)).rows as Row[],
    get: async <Row>(sql: string, values?: readonly Value[]) => (await query(sql, values)).rows[0] as Row | undefined,
    run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
  };
};
