/** Parameter of a statement. An array may only follow `=`, as in `= ANY($1::text[])`. */
export type Value = string | number | bigint | Uint8Array | null | readonly (string | number)[];

/** Of a sum. SQLite adds up to 2^63: in two parts, nine million amounts fit. */
export const LOW_DIGITS = 12;

/**
 * Reads by statements. Parameters are `$1`, `$2`, and so on. Rows have their columns in camelCase, whole numbers as
 * numbers, and bytes as buffers.
 */
export interface Reads<V = Value> {
  all<Row>(sql: string, values?: readonly V[]): Promise<Row[]>;
  get<Row>(sql: string, values?: readonly V[]): Promise<Row | undefined>;
  /** The rows up to the first for which `isLast` is true. SQLite does not read the rows after it. */
  upTo<Row>(sql: string, values: readonly V[], isLast: (row: Row) => boolean): Promise<Row[]>;
  /** Whether a statement blocks the process. It must then read little. */
  readonly isBlocking: boolean;
  /** SQL of the sum of decimal texts, in two columns: `high`, to be multiplied by 10 ^ {@link LOW_DIGITS}, and `low`. */
  readonly sumOf: (column: string) => string;
}

/**
 * Lets other waiting work run. Loops that read call it between two reads, since SQLite blocks the process while it
 * reads.
 */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs statements, each a transaction of its own. */
export interface Rows<V = Value> extends Reads<V> {
  /** @returns number of rows affected */
  run(sql: string, values?: readonly V[]): Promise<number>;
}

/**
 * A part of a transaction: a generator that yields the result of each statement, on PostgreSQL as a promise. SQLite has
 * one connection, so whatever ran while a transaction waited would become part of it. A promise would make it wait, so
 * the SQLite driver runs a whole transaction without one.
 */
export type Steps<T> = Generator<unknown, T>;

/** The statements of {@link Rows}, as steps of a transaction. */
export interface StepRows {
  all<Row>(sql: string, values?: readonly Value[]): Steps<Row[]>;
  get<Row>(sql: string, values?: readonly Value[]): Steps<Row | undefined>;
  /** @returns number of rows affected, here and below */
  run(sql: string, values?: readonly Value[]): Steps<number>;
  /** @param columns their names; `row` has them in camelCase, and may have others */
  insert(table: string, columns: string, row: object): Steps<number>;
  /** Inserts the row, or updates the one with the same `key`. @param key names of columns that are unique together */
  upsert(table: string, columns: string, row: object, key: string): Steps<number>;
  /** The rows whose keys are among these, which PostgreSQL finds in one statement. */
  findMany<Row>(lookup: Lookup, keys: readonly Cells[]): Steps<Row[]>;
  /** Writes rows, on PostgreSQL with one statement for each table, and without waiting for any of them. */
  writeMany(writes: readonly RowsWrite[]): Steps<void>;
}

/** Values of a row, in the order of its columns. */
export type Cells = readonly (string | number | Uint8Array | null)[];

/** Columns by name, with their types on PostgreSQL. */
type TypedColumns = Readonly<Record<string, 'bigint' | 'text' | 'bytea'>>;

/** Which rows of a table to find. */
export interface Lookup {
  readonly columns: string;
  readonly table: string;
  readonly keys: TypedColumns;
  /** The key that is a lower limit; all others must be equal. */
  readonly from?: string;
}

/** Columns of a table that many rows are written to at once. */
export interface Target {
  readonly table: string;
  /** The last column of an update is the key. */
  readonly columns: TypedColumns;
  /** `add` leaves out rows that exist. */
  readonly as: 'insert' | 'add' | 'update';
}

export interface RowsWrite {
  readonly to: Target;
  readonly rows: readonly Cells[];
}

const camelCased = (column: string): string =>
  column.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

const namesOf = (columns: string): string[] => columns.split(/,\s+/);

/** Names the values of a row in camelCase. @param columns of the row, in its order */
export const rowNamer = (columns: readonly string[]): ((row: object) => object) => {
  if (!columns.some((column) => column.includes('_'))) return (row) => row;
  const names = columns.map(camelCased);
  return (row) =>
    Object.fromEntries(Object.values(row).map((value: unknown, index) => [names[index], value])) as object;
};

/** Statements of a database driver, which return their results or promises of them. */
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
    upsert(table, columns, row, key) {
      const updates = namesOf(columns).map((column) => `${column} = excluded.${column}`);
      return insertInto(table, columns, row, `ON CONFLICT (${key}) DO UPDATE SET ${updates.join(', ')}`);
    },
  };
  const insertInto = (table: string, columns: string, row: object, rest = ''): Steps<number> => {
    const names = namesOf(columns);
    const values = names.map((column) => (row as Readonly<Record<string, Value>>)[camelCased(column)] as Value);
    const marks = names.map((_, index) => `$${index + 1}`);
    return steps.run(`INSERT INTO ${table} (${columns}) VALUES (${marks.join(', ')}) ${rest}`, values);
  };
  return steps;
};
