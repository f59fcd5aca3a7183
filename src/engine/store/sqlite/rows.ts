import type { Database, Statement } from 'better-sqlite3';
import {
  type Cells,
  LOW_DIGITS,
  type Lookup,
  type Reads,
  type RowsWrite,
  type Steps,
  type Target,
  type Value,
  rowNamer,
} from '../rows.ts';

type Scalar = Exclude<Value, readonly unknown[]>;

interface Prepared {
  readonly statement: Statement<[Scalar[]], object>;
  /** Index of the value of each parameter. */
  readonly order: readonly number[];
  readonly named: (row: object) => object;
}

const quoted = (name: string): string => `"${name}"`;

const writeOf = ({ table, columns, as }: Target): string => {
  const names = Object.keys(columns).map(quoted);
  if (as === 'update') {
    const values = names.map((name) => `${name} = ?`);
    return `UPDATE ${table} SET ${values.slice(0, -1).join(', ')} WHERE ${values.at(-1)}`;
  }
  const insert = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  return as === 'add' ? `${insert} ON CONFLICT DO NOTHING` : insert;
};

const readOf = ({ columns, table, keys, from }: Lookup): string => {
  const conditions = Object.keys(keys).map(
    (name, index) => `${quoted(name)} ${name === from ? '>=' : '='} $${index + 1}`,
  );
  return `SELECT ${columns} FROM ${table} WHERE ${conditions.join(' AND ')}`;
};

/** The statements of {@link Rows}, each prepared once, which return their results immediately. */
export const statementsOf = (database: Database) => {
  const writes = new Map<Target, Statement<[Cells]>>();
  const reads = new Map<Lookup, string>();
  const prepared = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const text = sql
      .replaceAll(/= ANY\((\$\d+)::\w+\[\]\)/g, 'IN (SELECT value FROM json_each($1))')
      .replaceAll(/\$\d+/g, '?');
    const statement = database.prepare<[Scalar[]], object>(text);
    const order = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number) - 1);
    const named = rowNamer(statement.reader ? statement.columns().map(({ name }) => name) : []);
    const made = { statement, order, named };
    prepared.set(sql, made);
    return made;
  };
  const bound = ({ order }: Prepared, values: readonly Value[]): Scalar[] =>
    order.map((index) => {
      const value = values[index] as Value;
      return Array.isArray(value) ? JSON.stringify(value) : (value as Scalar);
    });
  const all = (sql: string, values: readonly Value[] = []): object[] => {
    const found = prepare(sql);
    return found.statement.all(bound(found, values)).map(found.named);
  };
  return {
    all,
    get(sql: string, values: readonly Value[] = []): object | undefined {
      const found = prepare(sql);
      const row = found.statement.get(bound(found, values));
      return row && found.named(row);
    },
    upTo<Row>(sql: string, values: readonly Value[], isLast: (row: Row) => boolean): Row[] {
      const found = prepare(sql);
      const rows: Row[] = [];
      for (const read of found.statement.iterate(bound(found, values))) {
        const row = found.named(read) as Row;
        rows.push(row);
        if (isLast(row)) break;
      }
      return rows;
    },
    run(sql: string, values: readonly Value[] = []): number {
      const found = prepare(sql);
      return found.statement.run(bound(found, values)).changes;
    },
    findMany(lookup: Lookup, keys: readonly Cells[]): object[] {
      const sql = reads.get(lookup) ?? readOf(lookup);
      reads.set(lookup, sql);
      return keys.flatMap((key) => all(sql, key));
    },
    writeMany(tables: readonly RowsWrite[]): void {
      for (const { to, rows } of tables) {
        if (rows.length === 0) continue;
        const statement = writes.get(to) ?? database.prepare<[Cells]>(writeOf(to));
        writes.set(to, statement);
        // Passing values by position takes half as long as passing them by name.
        for (const row of rows) statement.run(row);
      }
    },
  };
};

export const readsOf = (statements: ReturnType<typeof statementsOf>): Reads => ({
  all: async <Row>(sql: string, values?: readonly Value[]) => statements.all(sql, values) as Row[],
  get: async <Row>(sql: string, values?: readonly Value[]) => statements.get(sql, values) as Row | undefined,
  upTo: async <Row>(sql: string, values: readonly Value[], isLast: (row: Row) => boolean) =>
    statements.upTo(sql, values, isLast),
  isBlocking: true,
  sumOf: (column) => `
    CAST(sum(CAST(substr(${column}, 1, length(${column}) - ${LOW_DIGITS}) AS INTEGER)) AS TEXT) AS high,
    CAST(sum(CAST(substr(${column}, -${LOW_DIGITS}) AS INTEGER)) AS TEXT) AS low`,
});

/** Runs steps whose statements return their results immediately. */
export const runSteps = <T>(steps: Steps<T>): T => {
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value);
  return step.value;
};
