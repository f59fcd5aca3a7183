import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { initial } from './0010-initial.ts';
import { tokensAndKeys } from './0120-tokens-and-keys.ts';

const tempFolder = useTempFolders();

it('leaves older tokens and keys as they were: a token may do all, and the key is the first', () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  migrate(database, [initial]);
  database.exec(`
    INSERT INTO account VALUES ('a', 'Operator', 1);
    INSERT INTO auth_token VALUES ('t', 'a', 'hash', 'CI', 3, NULL);
    INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
      VALUES ('d', 'a', 'Game', 10, 'key', '1.1.0', 2);
  `);
  migrate(database, [initial, tokensAndKeys]);

  expect(database.prepare('SELECT * FROM auth_token').all()).toEqual([
    {
      token_id: 't',
      account_id: 'a',
      hash: 'hash',
      label: 'CI',
      created_at: 3,
      revoked_at: null,
      scope: 'manage',
      paymaster_id: null,
      expires_at: null,
      last_used_at: null,
    },
  ]);
  expect(database.prepare('SELECT * FROM api_key').all()).toEqual([
    {
      key_id: 'd',
      paymaster_id: 'd',
      api_key: 'key',
      label: 'first',
      created_at: 2,
      last_used_at: null,
      revoked_at: null,
    },
  ]);
  database.close();
});
