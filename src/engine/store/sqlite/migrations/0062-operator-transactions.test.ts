import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { operatorTransactionStore } from '../operator-transactions.ts';
import { decisionCounts } from '../decision-counts.ts';
import { initial } from './0010-initial.ts';
import { ledger } from './0020-ledger.ts';
import { originsAndFilters } from './0030-origins-and-filters.ts';
import { cheaperDecisions } from './0035-cheaper-decisions.ts';
import { feeTokens } from './0040-fee-tokens.ts';
import { pause } from './0060-pause.ts';
import { operatorTransactions } from './0062-operator-transactions.ts';
import { ruleBinding } from './0105-rule-binding.ts';

const tempFolder = useTempFolders();

it('counts what was paid before, leaves tanks low as before, and has nothing sent', async () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  const before = [initial, ledger, originsAndFilters, cheaperDecisions, feeTokens, pause];
  migrate(database, before);
  database.exec(`INSERT INTO account VALUES ('a', 'Operator', 0);
    INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
      VALUES ('dapp', 'a', 'Game', 1, 'key', '1.1.0', 0);
    INSERT INTO decision (id, at, paymaster_id, sender, outcome, settlement, actual_cost_wei, record)
      VALUES ('d', 5, 'dapp', '0x', 'sponsored', 'settled', '7', '{}')`);
  migrate(database, [...before, operatorTransactions, ruleBinding]);
  const paid = await decisionCounts(database).paidSince({ paymasterIds: ['dapp'], from: 0, to: 10 });
  expect(paid).toEqual({ paidWei: 7n, firstAt: 5 });
  expect(database.prepare('SELECT low_tank_wei AS low FROM paymaster').get()).toEqual({ low: null });
  expect(await operatorTransactionStore(database, () => undefined).openOperatorTransactions()).toEqual([]);
  database.close();
});
