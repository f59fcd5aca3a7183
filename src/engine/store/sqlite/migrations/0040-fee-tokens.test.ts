import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { join } from 'node:path';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { initial } from './0010-initial.ts';
import { ledger } from './0020-ledger.ts';
import { originsAndFilters } from './0030-origins-and-filters.ts';
import { feeTokens } from './0040-fee-tokens.ts';

const tempFolder = useTempFolders();
let database: Database.Database;
beforeEach(() => {
  database = new Database(join(tempFolder(), 'test.db'));
  migrate(database, [initial, ledger, originsAndFilters]);
});
afterEach(() => database.close());

it('leaves the settings of chains as they were, and lets no user pay in tokens unasked', () => {
  database.exec(`INSERT INTO chain VALUES (5, 'Five', NULL, 'http://127.0.0.1:1', NULL)`);

  migrate(database, [initial, ledger, originsAndFilters, feeTokens]);

  expect(database.prepare('SELECT * FROM chain').all()).toEqual([
    { chain_id: 5, name: 'Five', symbol: null, rpc: 'http://127.0.0.1:1', bundler: null, treasury: null },
  ]);
  expect(database.prepare('SELECT count(*) FROM fee_token').pluck().get()).toBe(0);
});
