import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { join } from 'node:path';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { initial } from './0010-initial.ts';
import { ledger } from './0020-ledger.ts';
import { originsAndFilters } from './0030-origins-and-filters.ts';

const tempFolder = useTempFolders();
let database: Database.Database;
beforeEach(() => {
  database = new Database(join(tempFolder(), 'test.db'));
  migrate(database, [initial, ledger]);
});
afterEach(() => database.close());

it('finds decisions made before it by their rule, and leaves DApps open to every origin as they were', () => {
  const decision = (id: string, rule: string): string =>
    `INSERT INTO decision (id, at, paymaster_id, sender, outcome, record)
     VALUES ('${id}', 1, 'dapp', '0x', 'denied', '{"rule":${rule}}');`;
  database.exec(`
    INSERT INTO account VALUES ('account', 'Account', 1);
    INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
      VALUES ('dapp', 'account', 'DApp', 1, 'key', '1.1.0', 1);
    ${decision('a', '"contracts"')} ${decision('b', 'null')}`);

  migrate(database, [initial, ledger, originsAndFilters]);

  expect(database.prepare('SELECT id, rule FROM decision ORDER BY id').all()).toEqual([
    { id: 'a', rule: 'contracts' },
    { id: 'b', rule: null },
  ]);
  expect(database.prepare('SELECT allowed_origins FROM paymaster').pluck().all()).toEqual(['["*"]']);
});
