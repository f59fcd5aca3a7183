import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import { type WalChanges, WalBroken } from './wal.ts';
import { type WalFollower, followWal } from './wal-follower.ts';

const tempFolder = useTempFolders();
let file: string;
let writer: Database.Database;
let follower: WalFollower;

const insert = (rows: number, bytes: number): void => {
  const add = writer.prepare('INSERT INTO item (content) VALUES (randomblob(?))');
  writer.transaction(() => {
    for (let row = 0; row < rows; row += 1) add.run(bytes);
  })();
};

beforeEach(() => {
  file = join(tempFolder(), 'test.db');
  writer = new Database(file);
  writer.pragma('journal_mode = WAL');
  writer.pragma('wal_autocheckpoint = 0');
  writer.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, content BLOB)');
  insert(50, 2_000);
  follower = followWal(file);
});
afterEach(() => {
  follower.close();
  writer.close();
});

/** A copy to which what was read is applied. */
const copyOf = async (): Promise<{ apply: (changes: WalChanges | undefined) => void; bytes: () => Buffer }> => {
  const path = join(tempFolder(), 'copy.db');
  await follower.snapshot(path, () => false);
  let size = statSync(path).size;
  return {
    apply(changes) {
      if (changes === undefined) return;
      const descriptor = openSync(path, 'r+');
      for (const [number, page] of changes.pages)
        writeSync(descriptor, page, 0, page.length, (number - 1) * page.length);
      closeSync(descriptor);
      size = changes.pageCount * changes.pageSize;
    },
    bytes: () => readFileSync(path).subarray(0, size),
  };
};

it('reads every page that is committed, whatever is checkpointed meanwhile: the copy is the database, byte for byte', async () => {
  const copy = await copyOf();
  const reader = new Database(file, { readonly: true });
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ rows: fc.integer({ min: 1, max: 40 }), bytes: fc.integer({ min: 1, max: 9_000 }) }),
    },
    { weight: 3, arbitrary: fc.constantFrom('read', 'checkpoint') },
    { weight: 1, arbitrary: fc.constantFrom('delete', 'vacuum', 'begin reading', 'end reading') },
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      for (const each of steps) {
        if (typeof each === 'object') insert(each.rows, each.bytes);
        else if (each === 'read') copy.apply(follower.read());
        else if (each === 'checkpoint') {
          copy.apply(follower.read());
          copy.apply(follower.checkpoint());
        } else if (each === 'delete') writer.exec('DELETE FROM item WHERE id % 3 = 0');
        else if (each === 'vacuum' && !reader.inTransaction) writer.exec('VACUUM');
        else if (each === 'begin reading' && !reader.inTransaction) {
          reader.exec('BEGIN');
          reader.prepare('SELECT count(*) FROM item').get();
        } else if (each === 'end reading' && reader.inTransaction) reader.exec('COMMIT');
      }
      if (reader.inTransaction) reader.exec('COMMIT');
      copy.apply(follower.read());
    }),
    { numRuns: 60 },
  );
  reader.close();
  // A change to the first page, because a snapshot does not keep its counters.
  writer.exec('PRAGMA user_version = 7');
  copy.apply(follower.read());
  follower.close();
  writer.pragma('wal_checkpoint(TRUNCATE)');
  expect(Buffer.compare(copy.bytes(), readFileSync(file))).toBe(0);
  follower = followWal(file);
});

it('lets SQLite write its log from the beginning again, so that the log does not grow', () => {
  let most = 0;
  for (let round = 0; round < 50; round += 1) {
    insert(20, 3_000);
    follower.read();
    follower.checkpoint();
    most = Math.max(most, follower.bytes());
  }
  expect(most).toBeLessThan(1_000_000);
  expect(statSync(file).size).toBeGreaterThan(3_000_000);
});

it('keeps what it has not read in the log, even if another program checkpoints', () => {
  const other = new Database(file);
  for (let round = 0; round < 3; round += 1) {
    insert(5, 100);
    other.pragma('wal_checkpoint(PASSIVE)');
    insert(5, 100);
    expect(follower.read()?.pages.size).toBeGreaterThan(0);
    follower.checkpoint();
  }
  other.close();
});

it('refuses a log whose frames do not follow from the last one that it has read', () => {
  insert(1, 10);
  follower.read();
  const descriptor = openSync(`${file}-wal`, 'r+');
  insert(1, 10);
  writeSync(descriptor, Buffer.from([1, 2, 3, 4]), 0, 4, statSync(`${file}-wal`).size - 100);
  closeSync(descriptor);
  expect(() => follower.read()).toThrow(WalBroken);
});
