import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { decision } from '../../../../../test/support/store-records.ts';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import type { DecisionDraft } from '../../decision-store.ts';
import { migrate } from '../migrate.ts';
import { initial } from './0010-initial.ts';
import { ledger } from './0020-ledger.ts';
import { endlessReservations } from './0066-endless-reservations.ts';

const tempFolder = useTempFolders();

it('keeps what is reserved for version 1.0.0 until it is mined, and nothing else', () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  migrate(database, [initial, ledger]);
  database.exec(`
    INSERT INTO account VALUES ('account-1', 'Operator', 0);
    INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
      VALUES ('dapp-1', 'account-1', 'Game', 1, 'key', '1.0.0', 0);
    INSERT INTO paymaster_contract VALUES (1, '1.0.0', '0x${'Aa'.repeat(20)}', 1), (1, '1.1.0', '0x${'bb'.repeat(20)}', 1);
  `);
  const insert = database.prepare(
    `INSERT INTO decision (id, at, paymaster_id, chain_id, sender, outcome, valid_until, settlement, record)
     VALUES (@id, @at, @paymasterId, @chainId, @sender, @outcome, @validUntil, @settlement, @record)`,
  );
  const store = (id: string, byte: string, fields: Partial<DecisionDraft> = {}): void => {
    const paymasterAndData = `0x${byte.repeat(20)}${'00'.repeat(96)}`;
    const draft = decision({ id, chainId: 1, validUntil: 20, paymasterAndData, ...fields });
    insert.run({ ...draft, record: JSON.stringify(draft) });
  };
  store('endless', 'aa');
  store('over', 'aa', { settlement: 'settled' });
  store('of another version', 'bb');
  store('on another chain', 'aa', { chainId: 5 });
  migrate(database, [initial, ledger, endlessReservations]);
  expect(database.prepare('SELECT id FROM decision WHERE valid_until = 0').pluck().all()).toEqual(['endless']);
  expect(database.prepare('SELECT id FROM decision WHERE valid_until = 20').all()).toHaveLength(3);
  database.close();
});
