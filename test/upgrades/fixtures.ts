import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';

/** What each release has stored, by version: a data folder, and the same desk in a PostgreSQL database. */

const FOLDER = join(import.meta.dirname, 'releases');

export const fixtureFolder = (version: string): string => join(FOLDER, version);

export const fixtureVersions = (): readonly string[] => (existsSync(FOLDER) ? readdirSync(FOLDER).sort() : []);

/** The databases are SQL, which `zcat` shows. */
export const FILES = {
  sqlite: 'sqlite.sql.gz',
  postgres: 'postgres.sql.gz',
  expected: 'expected.json',
  checkpoint: 'checkpoint.txt',
  folder: 'folder',
} as const;

/** What a desk must show of a fixture, and what continues it. */
export interface Expected {
  readonly note: string;
  readonly schema: number;
  /** Epoch ms, at which it was made. */
  readonly at: number;
  readonly entries: number;
  readonly decisions: number;
  /** Decisions, by method, outcome and code. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, number>>;
  /** Results of lists, by procedure: what operators see. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly authToken: string;
  readonly apiKey: string;
  readonly paymasterId: string;
  readonly fundingWallet: string;
}

export const expectedOf = (version: string): Expected =>
  JSON.parse(readFileSync(join(fixtureFolder(version), FILES.expected), 'utf8')) as Expected;

export const sqlIn = (version: string, file: string): string =>
  gunzipSync(readFileSync(join(fixtureFolder(version), file))).toString();

/** The most operations of a user that the DApp of a fixture sponsors in an hour; one of them is used. */
export const LIMIT = 3;

/** Puts the data folder of a release together. */
export const unpackFixture = (version: string, dir: string): void => {
  mkdirSync(dir, { recursive: true });
  cpSync(join(fixtureFolder(version), FILES.folder), dir, { recursive: true });
  const database = new Database(join(dir, 'gasdesk.db'));
  database.exec(sqlIn(version, FILES.sqlite));
  database.close();
};

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** A database as statements of SQL, which make the same database again. */
export const sqlOf = (file: string): string => {
  const database = new Database(file, { readonly: true });
  try {
    const rows = database
      .prepare<[], SchemaRow>(
        "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type = 'table' DESC, rowid",
      )
      .all();
    const isInternal = ({ name }: SchemaRow): boolean => name.startsWith('sqlite_');
    const insert = (table: string): string[] => {
      const columns = database.prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}')`).all();
      const values = columns.map(({ name }) => `quote("${name}")`).join(` || ',' || `);
      return database
        .prepare<[], { line: string }>(`SELECT ${values} AS line FROM "${table}"`)
        .all()
        .map(({ line }) => `INSERT INTO "${table}" VALUES (${line});`);
    };
    const tables = rows.filter((row) => row.type === 'table' && !isInternal(row));
    const others = rows.filter((row) => row.type !== 'table');
    return [
      ...['application_id', 'user_version'].map(
        (name) => `PRAGMA ${name} = ${String(database.pragma(name, { simple: true }))};`,
      ),
      'BEGIN;',
      ...tables.map(({ sql }) => `${sql};`),
      ...tables.flatMap(({ name }) => insert(name)),
      ...insert('sqlite_sequence'),
      ...others.map(({ sql }) => `${sql};`),
      'COMMIT;',
      '',
    ].join('\n');
  } finally {
    database.close();
  }
};
