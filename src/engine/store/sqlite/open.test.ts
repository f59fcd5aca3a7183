import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import { openDatabase } from './open.ts';

const tempFolder = useTempFolders();
let file: string;
beforeEach(() => {
  file = join(tempFolder(), 'gasdesk.db');
});

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('opening the database', () => {
  it('flushes every commit to disk and checks references, or an acknowledged decision could be lost', () => {
    const database = openDatabase(file);
    const pragma = (name: string): unknown => database.pragma(name, { simple: true });
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('synchronous')).toBe(2); // FULL
    expect(pragma('foreign_keys')).toBe(1);
    database.close();
  });

  it('has only STRICT tables, or SQLite would take text for a number', () => {
    const database = openDatabase(file);
    const tables = database.pragma('table_list') as { schema: string; name: string; type: string; strict: number }[];
    const ours = tables.filter(
      ({ schema, name, type }) => schema === 'main' && type === 'table' && !name.startsWith('sqlite_'),
    );
    expect(ours.length).toBeGreaterThan(10);
    expect(ours.filter(({ strict }) => strict !== 1)).toEqual([]);
    database.close();
  });

  it('lets no other user read the file, since API keys are in it', () => {
    const database = openDatabase(file);
    database.exec("INSERT INTO account (account_id, name, created_at) VALUES ('a', 'b', 1)");
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(mode(name), name).toBe('600');
    database.close();
  });

  it('keeps what is in the file when it opens it again', () => {
    const first = openDatabase(file);
    first.exec("INSERT INTO account (account_id, name, created_at) VALUES ('a', 'b', 1)");
    first.close();
    const second = openDatabase(file);
    expect(second.prepare('SELECT name FROM account').pluck().all()).toEqual(['b']);
    second.close();
  });

  it('says that a file is no database, and leaves it alone', () => {
    writeFileSync(file, 'my diary, not a database, and long enough to have a header of a hundred bytes'.repeat(10));
    const before = readFileSync(file);
    expect(() => openDatabase(file)).toThrow(
      expect.objectContaining({ code: 'DATA_FOLDER_UNUSABLE', message: expect.stringContaining('not a database') }),
    );
    expect(readFileSync(file)).toEqual(before);
  });

  it('says that a file cannot be opened', () => {
    const missing = join(file, 'no', 'such', 'folder.db');
    expect(() => openDatabase(missing)).toThrow(
      expect.objectContaining({ code: 'DATA_FOLDER_UNUSABLE', message: expect.stringContaining(missing) }),
    );
  });

  it.each([
    ['a newer Gasdesk', 99_999, 'DATABASE_TOO_NEW', /restore a backup/],
    ['a Gasdesk from before version 1.0', 135, 'DATABASE_TOO_OLD', /"gasdesk policy export".*"gasdesk policy apply"/],
  ])('refuses a database of %s, says what to do and does not touch a byte of it', (_, schema, code, words) => {
    openDatabase(file).close();
    const other = new Database(file);
    other.pragma(`user_version = ${schema}`);
    other.pragma('journal_mode = DELETE');
    other.close();
    const before = readFileSync(file);

    expect(() => openDatabase(file)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(words) }));

    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(join(file, '..'))).toEqual(['gasdesk.db']);
  });
});
