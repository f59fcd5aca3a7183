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
    const ours = tables.filter(({ schema, name }) => schema === 'main' && !name.startsWith('sqlite_'));
    expect(ours.length).toBeGreaterThan(10);
    expect(ours.filter(({ strict }) => strict !== 1)).toEqual([]);
    database.close();
  });

  it('lets no other user read the file, since API keys are in it', () => {
    const database = openDatabase(file);
    database.exec("INSERT INTO account VALUES ('a', 'b', 1)");
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(mode(name), name).toBe('600');
    database.close();
  });

  it('keeps what is in the file when it opens it again', () => {
    const first = openDatabase(file);
    first.exec("INSERT INTO account VALUES ('a', 'b', 1)");
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

  it('refuses a database of a newer Gasdesk and does not touch a byte of it', () => {
    openDatabase(file).close();
    const newer = new Database(file);
    newer.pragma('user_version = 99999');
    newer.pragma('journal_mode = DELETE');
    newer.close();
    const before = readFileSync(file);

    expect(() => openDatabase(file)).toThrow(expect.objectContaining({ code: 'DATABASE_TOO_NEW' }));

    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(join(file, '..'))).toEqual(['gasdesk.db']);
  });
});
