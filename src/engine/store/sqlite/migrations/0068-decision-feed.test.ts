import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { initial } from './0010-initial.ts';
import { ledger } from './0020-ledger.ts';
import { decisionFeed } from './0068-decision-feed.ts';

const tempFolder = useTempFolders();

it('puts older decisions at their own seq, and after them each visible change, in its order', () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  migrate(database, [initial, ledger]);
  database.exec(`
    INSERT INTO account VALUES ('a', 'Operator', 1);
    INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
      VALUES ('d', 'a', 'Game', 10, 'key', '1.1.0', 2);
  `);
  const insert = database.prepare<[string]>(
    `INSERT INTO decision (id, at, paymaster_id, chain_id, sender, outcome, settlement, record)
     VALUES (?, 1, 'd', 10, '0x', 'sponsored', 'reserved', '{}')`,
  );
  for (const id of ['one', 'two']) insert.run(id);
  migrate(database, [initial, ledger, decisionFeed]);
  const feed = () => database.prepare('SELECT position, seq, is_new FROM decision_feed').raw().all();
  expect(feed()).toEqual([
    [1, 1, 1],
    [2, 2, 1],
  ]);

  const set = database.prepare(
    'UPDATE decision SET settlement = ?, actual_cost_wei = ?, settled_block = ? WHERE seq = ?',
  );
  set.run('settled', '7', 5, 1);
  // Mined at another cost after a re-org; in another block at the same cost, which no client sees.
  set.run('settled', '8', 5, 1);
  set.run('settled', '8', 6, 1);
  set.run('reserved', null, null, 1);
  expect(feed().slice(2)).toEqual([
    [3, 1, 0],
    [4, 1, 0],
    [5, 1, 0],
  ]);
  database.close();
});
