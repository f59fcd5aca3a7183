import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { type AccountKey, accountText } from '../../../../core/ledger/account.ts';
import { migrate } from '../migrate.ts';
import { initial } from './0010-initial.ts';
import { ledger } from './0020-ledger.ts';
import { cheaperDecisions } from './0035-cheaper-decisions.ts';
import { ledgerColumns } from './0070-ledger-columns.ts';

const tempFolder = useTempFolders();
const before = [initial, ledger, cheaperDecisions];
const TANK = `31337:0x${'cc'.repeat(20)}:0x`;
const user = `0x${'a1'.repeat(20)}`;

const accounts: AccountKey[] = [
  { kind: 'tank', id: TANK },
  { kind: 'sender', id: `tank:${TANK}`, user },
  { kind: 'dapp', id: `tank:${TANK}`, user: 'dapp-1' },
  { kind: 'user', id: `31337:0x${'dd'.repeat(20)}`, user },
  { kind: 'limit', id: 'rule-1:2', window: 30, user },
  { kind: 'limit', id: 'rule-2:0', window: 0 },
  { kind: 'breaker', id: '31337:3600:0', window: 29_000_000 },
  { kind: 'dappBreaker', id: 'dapp-1:3600:0:1', window: 29_000_001 },
  { kind: 'unreachable', id: '31337', window: 29_000_002 },
];

const columns = ({ kind, id, window = 0, user = '' }: AccountKey) => [kind, id, window, user];

const open = (): Database.Database => {
  const database = new Database(join(tempFolder(), 'test.db'));
  migrate(database, before);
  database.exec(`
    INSERT INTO account VALUES ('a', 'Operator', 1);
    INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
      VALUES ('d', 'a', 'Game', 10, 'key', '1.1.0', 2);
    INSERT INTO decision (id, at, paymaster_id, sender, outcome, record) VALUES ('one', 1, 'd', '0x', 'sponsored', '{}');
  `);
  return database;
};

it('finds every account again by its parts, with what it holds and what decisions hold of it, to the wei', () => {
  const database = open();
  const held = (index: number): string => String(2n ** 80n + BigInt(index));
  const account = database.prepare('INSERT INTO ledger_account VALUES (?, ?)');
  const claim = database.prepare(`INSERT INTO ledger_claim VALUES (1, ?, 'spend', ?, '7')`);
  for (const [index, one] of accounts.entries()) {
    account.run(accountText(one), held(index));
    claim.run(accountText(one), held(index));
  }
  // Of a kind that no longer exists.
  account.run('old:a:1', '5');
  migrate(database, [...before, ledgerColumns]);

  const rows = database.prepare('SELECT kind, id, window, user, held FROM ledger_account').raw().all();
  const expected = accounts.map((one, index) => [...columns(one), held(index)]);
  expect(rows).toHaveLength(accounts.length + 1);
  expect(rows).toEqual(expect.arrayContaining([...expected, ['old', 'a:1', 0, '', '5']]));
  const reservations = database
    .prepare(
      `SELECT decision_seq, kind, id, window, user, follows, reserved, reservation.held
       FROM ledger_reservation AS reservation JOIN ledger_account USING (account_id)`,
    )
    .raw()
    .all();
  expect(reservations).toHaveLength(accounts.length);
  const ofDecision = accounts.map((one, index) => [1, ...columns(one), 'spend', held(index), '7']);
  expect(reservations).toEqual(expect.arrayContaining(ofDecision));
  expect(database.pragma('foreign_key_check')).toEqual([]);
  database.close();
});
