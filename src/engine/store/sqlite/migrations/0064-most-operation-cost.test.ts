import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { initial } from './0010-initial.ts';
import { feeTokens } from './0040-fee-tokens.ts';
import { burnRateBreaker } from './0063-burn-rate-breaker.ts';
import { mostOperationCost } from './0064-most-operation-cost.ts';

const tempFolder = useTempFolders();

it("leaves the settings of a chain, whose operations may cost what the chain's prices say", () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  const before = [initial, feeTokens, burnRateBreaker];
  migrate(database, before);
  database.exec(`INSERT INTO chain VALUES (10, 'Mine', 'OP', 'http://node', null, '0x11', '9', 60)`);
  migrate(database, [...before, mostOperationCost]);
  expect(database.prepare('SELECT * FROM chain').get()).toMatchObject({
    chain_id: 10,
    breaker_wei: '9',
    breaker_seconds: 60,
    max_operation_cost_wei: null,
  });
  database.close();
});
