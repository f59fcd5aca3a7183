import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import { step } from '../rows.ts';
import { type SqliteAccess, accessOf } from './access.ts';
import { openDatabase } from './open.ts';

const tempFolder = useTempFolders();
let database: Database.Database;
let access: SqliteAccess;

beforeEach(() => {
  database = openDatabase(join(tempFolder(), 'gasdesk.db'));
  access = accessOf(database, { clock: new ManualClock(), timed: (_statement, run) => run() });
});
afterEach(() => database.close());

const entries = (): unknown[] => database.prepare('SELECT kind FROM log_entry ORDER BY position').pluck().all();

/** From now on, the file has no room for another page. */
const fill = (): void => {
  const pages = database.pragma('page_count', { simple: true }) as number;
  database.pragma(`max_page_count = ${pages}`);
};

it('an operator’s change whose entry found no room is entered as soon as there is room', async () => {
  database.exec('CREATE TABLE filler (bytes BLOB)');
  await access.rows.run('INSERT INTO account (account_id, name, created_at) VALUES ($1, $2, $3)', ['a', 'A', 1]);
  fill();
  const failing = access.commit.run(() => {
    throw new Error('the rule has a bug');
  });
  // After this, SQLite rolls back the whole transaction, in which the entry was made.
  const filling = access.commit.run(() => database.exec('INSERT INTO filler VALUES (zeroblob(100000))'));
  const outcomes = await Promise.allSettled([failing, filling]);
  expect(outcomes).toMatchObject([1, 2].map(() => ({ reason: { code: 'SQLITE_FULL' } })));
  expect(entries()).toEqual([]);
  database.pragma('max_page_count = 1000000');
  await access.logChanges();
  expect(entries()).toEqual(['start', 'action']);
});

it('a rolling window that could not be read is read again', async () => {
  const account = { kind: 'unreachable', id: '1', window: 5 } as const;
  const part = { account, since: 1 };
  await access.decide([part], (tx) => step(() => tx.ledger.reserve([{ ...part, kind: 'count', amount: 3n }])));
  expect(await access.heldOf([part])).toEqual([3n]);
  database.exec('ALTER TABLE ledger_account RENAME TO elsewhere');
  await expect(access.heldOf([part])).rejects.toThrow('no such table');
  database.exec('ALTER TABLE elsewhere RENAME TO ledger_account');
  expect(await access.heldOf([part])).toEqual([3n]);
});

it('the log continues at its end although the end could not be read at first', async () => {
  database.exec('CREATE TABLE filler (bytes BLOB)');
  const enter = (): Promise<void> => access.writeLog((log) => log.append('action', { changes: [] } as never));
  await enter();
  fill();
  const undone = access.writeLog((log) => {
    log.append('action', { changes: [] } as never);
    database.exec('INSERT INTO filler VALUES (zeroblob(100000))');
  });
  await expect(undone).rejects.toThrow('full');
  database.pragma('max_page_count = 1000000');
  database.exec('ALTER TABLE log_entry RENAME TO elsewhere');
  expect(() => access.newestAccount()).toThrow('no such table');
  database.exec('ALTER TABLE elsewhere RENAME TO log_entry');
  await enter();
  expect(database.prepare('SELECT position FROM log_entry ORDER BY 1').pluck().all()).toEqual([0, 1, 2]);
});
