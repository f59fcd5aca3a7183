import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import { openDatabase } from './open.ts';
import { decisionCounts } from '../tables/decision-counts.ts';
import { readsOf, statementsOf } from './rows.ts';

const tempFolder = useTempFolders();
const HOUR_MS = 3_600_000;

it('adds up what operations did cost to the wei, however large, in the time that is asked for', async () => {
  const database = openDatabase(join(tempFolder(), 'test.db'));
  database.exec(`INSERT INTO account (account_id, name, created_at) VALUES ('a', 'Operator', 0)`);
  for (const id of ['dapp', 'other']) {
    database.exec(`INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
      VALUES ('${id}', 'a', '${id}', 1, '${id}', '1.1.0', 0)`);
  }
  const rows = readsOf(statementsOf(database));
  const insert = database.prepare(`INSERT INTO decision
    (id, at, paymaster_id, sender, outcome, settlement, actual_cost_wei, record)
    VALUES (?, ?, ?, '0x', 'sponsored', ?, ?, '{}')`);
  const operation = fc.record({
    at: fc.integer({ min: 0, max: 40 * HOUR_MS }),
    dapp: fc.constantFrom('dapp', 'other'),
    settlement: fc.constantFrom('settled', 'settled', 'reserved'),
    wei: fc.oneof(fc.bigInt(0n, 10n ** 13n), fc.bigInt(0n, 10n ** 28n)),
  });
  const window = fc.tuple(fc.integer({ min: 0, max: 40 * HOUR_MS }), fc.integer({ min: 0, max: 40 * HOUR_MS }));
  await fc.assert(
    fc.asyncProperty(fc.array(operation), window, async (operations, [one, two]) => {
      database.exec('DELETE FROM decision');
      for (const [nth, { at, dapp, settlement, wei }] of operations.entries()) {
        insert.run(`d-${nth}`, at, dapp, settlement, settlement === 'settled' ? String(wei) : null);
      }
      const [from, to] = [Math.min(one, two), Math.max(one, two)];
      const counted = operations.filter(
        ({ at, dapp, settlement }) => dapp === 'dapp' && settlement === 'settled' && at >= from && at < to,
      );
      const first = counted.map(({ at }) => at).sort((a, b) => a - b)[0];
      expect(await decisionCounts(rows).paidSince({ paymasterIds: ['dapp'], from, to })).toEqual({
        paidWei: counted.reduce((sum, { wei }) => sum + wei, 0n),
        firstAt: first,
      });
    }),
    { numRuns: 60 },
  );
  database.close();
});
