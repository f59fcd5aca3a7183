/** Parameter of a statement. An array may only follow `=`, as in `= ANY($1::text[])`. */
export type Value = string | number | bigint | Uint8Array | null | readonly (string | number)[];

/**
 * Number of digits in the lower part of a sum. SQLite adds numbers up to 2^63, so with two parts, it can add nine
 * million amounts.
 */
export const LOW_DIGITS = 12;

/**
 * Reads with SQL statements. Parameters are `$1`, `$2`, and so on. Rows have their columns in camelCase, whole numbers
 * as numbers, and bytes as buffers.
 */
export interface Reads<V = Value> {
  all<Row>(sql: string, values?: readonly V[]): Promise<Row[]>;
  get<Row>(sql: string, values?: readonly V[]): Promise<Row | undefined>;
  /** The rows up to the first one for which `isLast` is true. SQLite does not read the rows after it. */
  upTo<Row>(sql: string, values: readonly V[], isLast: (row: Row) => boolean): Promise<Row[]>;
  /** Whether a statement blocks the process. Statements must then read little at a time. */
  readonly isBlocking: boolean;
  /** SQL of the sum of decimal texts, in two columns: `high`, to be multiplied by 10 ^ {@link LOW_DIGITS}, and `low`. */
  readonly sumOf: (column: string) => string;
}

/**
 * Lets other waiting work run. Loops that read call this function between two reads, because SQLite blocks the process
 * while it reads.
 */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs statements, each in a separate transaction. */
export interface Rows<V = Value> extends Reads<V> {
  /** Runs a statement. @returns number of affected rows */
  run(sql: string, values?: readonly V[]): Promise<number>;
}

/**
 * A part of a transaction: a generator that yields the result of each statement (on PostgreSQL, a promise of it).
 * SQLite has only one connection, so anything that runs while a transaction waits would become part of the transaction.
 * A promise would make it wait, so the SQLite driver runs a whole transaction without promises.
 */
export type Steps<T> = Generator<unknown, T>;

/** The statements of {@link Rows}, as steps of a transaction. */
export interface StepRows {
  all<Row>(sql: string, values?: readonly Value[]): Steps<Row[]>;
  get<Row>(sql: string, values?: readonly Value[]): Steps<Row | undefined>;
  /** Runs a statement. @returns number of affected rows, here and below */
  run(sql: string, values?: readonly Value[]): Steps<number>;
  /** @param columns names of the columns; `row` contains them in camelCase, and may contain other values */
  insert(table: string, columns: string, row: object): Steps<number>;
  /** Inserts the row, or updates the one with the same `key`. @param key names of columns that are unique together */
  upsert(table: string, columns: string, row: object, key: string): Steps<number>;
  /** Deletes the rows with these values. */
  remove(table: string, where: object): Steps<number>;
  /** Updates the rows with the values of `where`. The names of fields are those of the columns in camelCase. */
  update(table: string, where: object, to: object): Steps<number>;
  /** Finds the rows that have one of these keys. PostgreSQL finds all of them with one statement. */
  findMany<Row>(lookup: Lookup, keys: readonly Cells[]): Steps<Row[]>;
  /** Writes rows. On PostgreSQL, each table needs one statement, and the statements do not wait for each other. */
  writeMany(writes: readonly RowsWrite[]): Steps<void>;
}

/** Values of a row, in the order of its columns. */
export type Cells = readonly (string | number | Uint8Array | null)[];

/** Columns by name, with their types on PostgreSQL. */
type TypedColumns = Readonly<Record<string, 'bigint' | 'text' | 'bytea'>>;

/** Selects the rows of a table to find. */
export interface Lookup {
  readonly columns: string;
  readonly table: string;
  readonly keys: TypedColumns;
  /** The key column that is compared with `>=`. All other key columns are compared with `=`. */
  readonly from?: string;
}

/** Columns of a table to which many rows are written at once. */
export interface Target {
  readonly table: string;
  /** For an update, the last column is the key. */
  readonly columns: TypedColumns;
  /** With `add`, rows that already exist are skipped. */
  readonly as: 'insert' | 'add' | 'update';
}

export interface RowsWrite {
  readonly to: Target;
  readonly rows: readonly Cells[];
}

export const camelCased = (column: string): string =>
  column.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

const snakeCased = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const valuesOf = (fields: object): Value[] => Object.values(fields) as Value[];

export const namesOf = (columns: string): string[] => columns.split(/,\s+/);

/** Returns a function that names the values of a row in camelCase. @param columns of the row, in order */
export const rowNamer = (columns: readonly string[]): ((row: object) => object) => {
  if (!columns.some((column) => column.includes('_'))) return (row) => row;
  const names = columns.map(camelCased);
  return (row) =>
    Object.fromEntries(Object.values(row).map((value: unknown, index) => [names[index], value])) as object;
};

/** Statements of a database driver, which return results or promises of results. */
interface Statements {
  all(sql: string, values?: readonly Value[]): unknown;
  get(sql: string, values?: readonly Value[]): unknown;
  run(sql: string, values?: readonly Value[]): unknown;
  findMany(lookup: Lookup, keys: readonly Cells[]): unknown;
  writeMany(writes: readonly RowsWrite[]): unknown;
}

/** A single step. @param run returns its result, or a promise of it */
export const step = function* <T>(run: () => unknown): Steps<T> {
  return (yield run()) as T;
};

export const stepsOf = (statements: Statements): StepRows => {
  const steps: StepRows = {
    all: (sql, values) => step(() => statements.all(sql, values)),
    get: (sql, values) => step(() => statements.get(sql, values)),
    run: (sql, values) => step(() => statements.run(sql, values)),
    findMany: (lookup, keys) => step(() => statements.findMany(lookup, keys)),
    writeMany: (writes) => step(() => statements.writeMany(writes)),
    insert: (table, columns, row) => insertInto(table, columns, row),
    remove: (table, where) =>
      steps.run(`DELETE FROM ${table} WHERE ${equations(where, 0).join(' AND ')}`, valuesOf(where)),
    update(table, where, to) {
      const keys = equations(where, 0);
      const sql = `UPDATE ${table} SET ${equations(to, keys.length).join(', ')} WHERE ${keys.join(' AND ')}`;
      return steps.run(sql, [...valuesOf(where), ...valuesOf(to)]);
    },
    upsert(table, columns, row, key) {
      const updates = namesOf(columns).map((column) => `${column} = excluded.${column}`);
      return insertInto(table, columns, row, `ON CONFLICT (${key}) DO UPDATE SET ${updates.join(', ')}`);
    },
  };
  const equations = (fields: object, after: number): string[] =>
    Object.keys(fields).map((field, index) => `${snakeCased(field)} = $${after + index + 1}`);
  const insertInto = (table: string, columns: string, row: object, rest = ''): Steps<number> => {
    const names = namesOf(columns);
    const values = names.map((column) => (row as Readonly<Record<string, Value>>)[camelCased(column)] as Value);
    const marks = names.map((_, index) => `$${index + 1}`);
    return steps.run(`INSERT INTO ${table} (${columns}) VALUES (${marks.join(', ')}) ${rest}`, values);
  };
  return steps;
};
