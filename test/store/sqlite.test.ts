import { join } from 'node:path';
import { describe } from 'vitest';
import { createLog } from '../../src/engine/base/log.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { describeChainFeeStore } from './conformance/chain-fee-store.ts';
import { describeCostStore } from './conformance/cost-store.ts';
import { describeDecisionQueries } from './conformance/decision-queries.ts';
import { describeDecisionStore } from './conformance/decision-store.ts';
import { describeLedger } from './conformance/ledger.ts';
import { describeLimitRows } from './conformance/limit-rows.ts';
import { DATABASE, type OpenStore } from './conformance/open-store.ts';
import { describeNotificationStore } from './conformance/notification-store.ts';
import { describeOperatorTransactionStore } from './conformance/operator-transaction-store.ts';
import { describePolicyStore } from './conformance/policy-store.ts';
import { describeRegistryStore } from './conformance/registry-store.ts';
import { describeSettingsVersion } from './conformance/settings-version.ts';
import { describeSettlementStore } from './conformance/settlement-store.ts';
import { describeSnapshots } from './conformance/snapshots.ts';

const open: OpenStore = (folder, clock) =>
  Promise.resolve(openSqliteStore(join(folder, DATABASE), { clock, log: createLog({ level: 'silent' }) }));

describe.each([
  ['deciding and reserving', describeDecisionStore],
  ['the ledger', (opened: OpenStore) => describeLedger(opened, 'as handed over')],
  ['limits', (opened: OpenStore) => describeLimitRows(opened, 1)],
  ['decisions', describeDecisionQueries],
  ['notifications', describeNotificationStore],
  ['settlement', describeSettlementStore],
  ['policies', describePolicyStore],
  ['versions of the settings', describeSettingsVersion],
  ['the registry', describeRegistryStore],
  ['fees of chains', describeChainFeeStore],
  ['costs', describeCostStore],
  ["the operator's transactions", describeOperatorTransactionStore],
  ['copies', (opened: OpenStore) => describeSnapshots(opened, 'end')],
])('the store on SQLite: %s', (_part, describePart) => describePart(open));
