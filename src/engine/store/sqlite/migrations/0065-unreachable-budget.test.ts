import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { initial } from './0010-initial.ts';
import { ledger } from './0020-ledger.ts';
import { originsAndFilters } from './0030-origins-and-filters.ts';
import { cheaperDecisions } from './0035-cheaper-decisions.ts';
import { feeTokens } from './0040-fee-tokens.ts';
import { pause } from './0060-pause.ts';
import { burnRateBreaker } from './0063-burn-rate-breaker.ts';
import { unreachableBudget } from './0065-unreachable-budget.ts';

const tempFolder = useTempFolders();

it('has nothing signed on a chain whose node is unreachable', () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  const before = [initial, ledger, originsAndFilters, cheaperDecisions, feeTokens, pause, burnRateBreaker];
  migrate(database, before);
  database.exec(`INSERT INTO chain (chain_id, rpc) VALUES (10, 'http://node')`);
  migrate(database, [...before, unreachableBudget]);
  expect(database.prepare('SELECT * FROM chain').get()).toMatchObject({
    chain_id: 10,
    rpc: 'http://node',
    unreachable_budget_wei: null,
  });
  database.close();
});
