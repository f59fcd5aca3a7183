import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { CHAIN, type ChainRow, toChain } from '../../chain-rows.ts';
import { initial } from './0010-initial.ts';
import { feeTokens } from './0040-fee-tokens.ts';
import { burnRateBreaker } from './0063-burn-rate-breaker.ts';
import { mostOperationCost } from './0064-most-operation-cost.ts';
import { unreachableBudget } from './0065-unreachable-budget.ts';
import { believedFees } from './0130-believed-fees.ts';

const tempFolder = useTempFolders();

it('gives chains without a breaker the default one, and leaves those that are set', () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  const before = [initial, feeTokens, burnRateBreaker, mostOperationCost, unreachableBudget];
  migrate(database, before);
  database.exec(`
    INSERT INTO chain (chain_id, name) VALUES (10, 'Mine');
    INSERT INTO chain (chain_id, name, breaker_wei, breaker_seconds) VALUES (11, 'Bounded', '9', 60);
    ALTER TABLE chain ADD COLUMN price TEXT;
  `);
  migrate(database, [...before, believedFees]);
  const chains = database.prepare<[], ChainRow>(`${CHAIN} ORDER BY chain_id`).all().map(toChain);
  expect(chains.map(({ name, breaker }) => [name, breaker])).toEqual([
    ['Mine', 'default'],
    ['Bounded', { amountWei: '9', seconds: 60 }],
  ]);
  database.close();
});
