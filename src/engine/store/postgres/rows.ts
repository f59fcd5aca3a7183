import { createHash } from 'node:crypto';
import pg from 'pg';

/** What a statement may be given: an array is one of PostgreSQL's. */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | null
  | readonly (string | number | bigint | boolean | Uint8Array | null)[];

/** Runs statements. Each is prepared once per connection; whole numbers come as numbers, bytes as buffers. */
export interface Rows {
  all<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  /** The first row. */
  get<Row>(sql: string, values?: readonly Value[]): Promise<Row | undefined>;
  /** @returns how many rows it touched */
  run(sql: string, values?: readonly Value[]): Promise<number>;
}

/** Whole numbers are ids, positions and times: none is beyond 2^53. Amounts are text. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

const names = new Map<string, string>();
/** The name of a prepared statement: its text says what it is. */
const nameOf = (sql: string): string => {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(sql).digest('base64url').slice(0, 24);
  names.set(sql, name);
  return name;
};

/** Text of PostgreSQL holds no NUL, nor does any name: who asks for such a one finds nothing. */
export const storable = <T>(value: T): T | string =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value;

/** Statements on a connection or a pool of them. */
export const rowsOf = (client: Pick<pg.ClientBase | pg.Pool, 'query'>): Rows => {
  const query = (sql: string, values: readonly Value[] = []) =>
    client.query({ name: nameOf(sql), text: sql, values: values.map(storable), types });
  return {
    all: async <Row>(sql: string, values?: readonly Value[]) => (await query(sql, values)).rows as Row[],
    get: async <Row>(sql: string, values?: readonly Value[]) => (await query(sql, values)).rows[0] as Row | undefined,
    run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
  };
};
