import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migrations/migration.ts';

const first: Migration = { version: 10, sql: "CREATE TABLE a (x TEXT) STRICT; INSERT INTO a VALUES ('old')" };
const second: Migration = { version: 20, sql: 'ALTER TABLE a ADD COLUMN y TEXT' };
const third: Migration = { version: 30, sql: "CREATE TABLE b (z TEXT) STRICT; UPDATE a SET y = 'new'" };
const broken: Migration = { version: 30, sql: 'CREATE TABLE b (z TEXT) STRICT; INSERT INTO nowhere VALUES (1)' };

const tempFolder = useTempFolders();
let file: string;
let database: Database.Database;
beforeEach(() => {
  file = join(tempFolder(), 'test.db');
  database = new Database(file);
});
afterEach(() => database.close());

const version = (of = database): unknown => of.pragma('user_version', { simple: true });
const tables = (): unknown[] => database.prepare('SELECT name FROM sqlite_schema ORDER BY name').pluck().all();

const backup = (path: string): { version: unknown; rows: unknown[] } => {
  const copy = new Database(path, { readonly: true });
  try {
    return { version: version(copy), rows: copy.prepare('SELECT * FROM a').all() };
  } finally {
    copy.close();
  }
};

describe('migrating', () => {
  it('makes the newest schema from an empty file, without a backup of nothing', () => {
    migrate(database, [first, second, third]);
    expect(version()).toBe(30);
    expect(database.prepare('SELECT * FROM a').all()).toEqual([{ x: 'old', y: 'new' }]);
    expect(existsSync(`${file}.before-10`)).toBe(false);
  });

  it('makes the schema of this version by default', () => {
    migrate(database);
    expect(version()).toBeGreaterThanOrEqual(20);
    expect(tables()).toEqual(expect.arrayContaining(['decision', 'ledger_account', 'ledger_reservation']));
  });

  it('runs only the steps that are missing, after a copy of the file as it was', () => {
    migrate(database, [first]);
    migrate(database, [first, second, third]);

    expect(version()).toBe(30);
    expect(database.prepare('SELECT * FROM a').all()).toEqual([{ x: 'old', y: 'new' }]);
    expect(backup(`${file}.before-20`)).toEqual({ version: 10, rows: [{ x: 'old' }] });
    expect(statSync(`${file}.before-20`).mode & 0o777).toBe(0o600);
  });

  it('copies what is still in the write-ahead log, too', () => {
    database.pragma('journal_mode = WAL');
    migrate(database, [first]);
    database.exec("INSERT INTO a VALUES ('in the log')");
    migrate(database, [first, second]);
    expect(backup(`${file}.before-20`).rows).toEqual([{ x: 'old' }, { x: 'in the log' }]);
  });

  it('does nothing where nothing is missing', () => {
    migrate(database, [first, second]);
    migrate(database, [first, second]);
    expect(version()).toBe(20);
    expect(existsSync(`${file}.before-20`)).toBe(false);
  });

  it('leaves the version and the schema before a step that fails', () => {
    migrate(database, [first]);

    expect(() => migrate(database, [first, second, broken])).toThrow('nowhere');

    expect(version()).toBe(20);
    expect(tables()).toEqual(['a']);
    expect(database.prepare('SELECT * FROM a').all()).toEqual([{ x: 'old', y: null }]);
    expect(backup(`${file}.before-20`).version).toBe(10);
  });

  it('can be tried again after a failure: the copy then has what was written since', () => {
    migrate(database, [first]);
    const failing = { ...broken, version: 20 };
    expect(() => migrate(database, [first, failing])).toThrow('nowhere');
    database.exec("INSERT INTO a VALUES ('since')");
    expect(() => migrate(database, [first, failing])).toThrow('nowhere');

    migrate(database, [first, second]);

    expect(version()).toBe(20);
    expect(backup(`${file}.before-20`).rows).toEqual([{ x: 'old' }, { x: 'since' }]);
    expect(existsSync(`${file}.before-20.new`)).toBe(false);
  });

  it('refuses a database of a newer Gasdesk, and says what to do', () => {
    migrate(database, [first, second]);
    expect(() => migrate(database, [first])).toThrow(
      expect.objectContaining({
        code: 'DATABASE_TOO_NEW',
        message:
          'The database has schema 20, and this Gasdesk knows up to 10. Use a newer Gasdesk, or restore a backup.',
      }),
    );
    expect(version()).toBe(20);
  });
});
