import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stepsOf } from '../rows.ts';
import { findByHash } from '../tables/settlements.ts';
import { hashCatchUp } from './hash-index.ts';
import { runSteps, statementsOf } from './rows.ts';
import type { Hex } from '../../../shared/schema/hex.ts';
import { createSchema } from './schema.ts';

let database: Database.Database;
beforeEach(() => {
  database = new Database(':memory:');
  createSchema(database);
  database.exec(`
    INSERT INTO account (account_id, name, created_at) VALUES ('account', 'Account', 1);
    INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
      VALUES ('dapp', 'account', 'DApp', 1, 'key', '1.1.0', 1), ('other', 'account', 'Other', 1, 'other', '1.1.0', 1)`);
});
afterEach(() => database.close());

/** Stores decisions whose operations have the hashes from `h<from>` up to `h<to>`. */
const store = (from: number, to: number, { chainId = 1, settlement = 'reserved', dapp = 'dapp' } = {}): void => {
  database
    .prepare(
      `INSERT INTO decision (id, at, paymaster_id, chain_id, sender, outcome, user_op_hash, settlement, record)
       WITH RECURSIVE number (n) AS (SELECT @from UNION ALL SELECT n + 1 FROM number WHERE n < @to)
       SELECT lower(hex(randomblob(16))), 1, @dapp, @chainId, '0x', 'sponsored', 'h' || CAST(n AS INTEGER), @settlement, '{}' FROM number`,
    )
    .run({ from, to, chainId, settlement, dapp });
};

const findAll = (userOpHash: string): number[] =>
  runSteps(findByHash(stepsOf(statementsOf(database)), { userOpHash: userOpHash as Hex }, 1)).map(({ seq }) => seq);
const find = (userOpHash: string): number | undefined => {
  const [first, ...others] = findAll(userOpHash);
  expect(others).toEqual([]);
  return first;
};

it('finds the decision of each mined operation, however many were made since one was looked for', () => {
  const catchUp = hashCatchUp(database);
  store(1, 12_000);
  let lots = 1;
  while (!catchUp()) lots += 1;
  expect(lots).toBeGreaterThan(1);
  expect([1, 5_000, 5_001, 12_000].map((n) => find(`h${n}`))).toEqual([1, 5_000, 5_001, 12_000]);
  store(12_001, 12_001);
  expect(find('h12001')).toBeUndefined();
  expect(catchUp()).toBe(true);
  expect(find('h12001')).toBe(12_001);
});

it('blocks the process for some milliseconds only, however long the disk takes for a hash', () => {
  let now = 0;
  const catchUp = hashCatchUp(database, { monotonic: () => (now += 50) });
  store(1, 1_000);
  expect(catchUp()).toBe(false);
  expect([find('h1'), find('h1000')]).toEqual([1, undefined]);
  while (!catchUp());
  expect(find('h1000')).toBe(1_000);
});

it('pays one decision of those with the same hash: the one that was settled, else the first that is still reserved, else the first, and of its own chain', () => {
  const catchUp = hashCatchUp(database);
  store(1, 1, { chainId: 2 });
  store(1, 1, { settlement: 'released' });
  catchUp();
  expect(find('h1')).toBe(2);
  store(1, 1);
  store(1, 1);
  catchUp();
  expect(find('h1')).toBe(3);
  store(1, 1, { settlement: 'settled' });
  catchUp();
  expect(find('h1')).toBe(5);
});

it('finds one decision of each DApp that has one with the hash, unless it was released: any of them may have paid', () => {
  const catchUp = hashCatchUp(database);
  store(1, 1, { settlement: 'released' });
  store(1, 1, { settlement: 'released', dapp: 'other' });
  catchUp();
  expect(findAll('h1')).toEqual([1]);
  store(1, 1, { dapp: 'other' });
  catchUp();
  expect(findAll('h1')).toEqual([3]);
  store(1, 1);
  store(1, 1);
  catchUp();
  expect(findAll('h1')).toEqual([3, 4]);
});
