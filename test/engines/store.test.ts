import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { openPostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { account, paymaster } from '../support/store-records.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { describeChainFeeStore } from '../store/conformance/chain-fee-store.ts';
import { describeCostStore } from '../store/conformance/cost-store.ts';
import { describeDecisionQueries } from '../store/conformance/decision-queries.ts';
import { describeDecisionStore } from '../store/conformance/decision-store.ts';
import { describeLedger } from '../store/conformance/ledger.ts';
import { describeLimitRows } from '../store/conformance/limit-rows.ts';
import { describeNotificationStore } from '../store/conformance/notification-store.ts';
import { DATABASE, type OpenStore } from '../store/conformance/open-store.ts';
import { toldChanges } from '../store/conformance/operator-changes.ts';
import { describeOperatorTransactionStore } from '../store/conformance/operator-transaction-store.ts';
import { describePolicyStore } from '../store/conformance/policy-store.ts';
import { describeRegistryStore } from '../store/conformance/registry-store.ts';
import { describeSettingsVersion } from '../store/conformance/settings-version.ts';
import { describeSettlementStore } from '../store/conformance/settlement-store.ts';
import { describeSnapshots } from '../store/conformance/snapshots.ts';

const watch = (clock: Clock) => ({ clock, log: createLog({ level: 'silent' }) });

const isLeftOut = findPostgres() === undefined && !process.env['CI'];
const reason = isLeftOut ? ' (left out: no PostgreSQL here)' : '';

describe.skipIf(isLeftOut)(`the store on PostgreSQL${reason}`, () => {
  let server: PostgresServer;
  /** The database that stands for a folder. */
  const databases = new Map<string, string>();
  beforeAll(async () => {
    server = await startPostgres();
    // New databases are copies of this one: they have the schema already.
    const { store } = await openPostgresDatabase(new Secret(server.urlOf('template1')), watch(new ManualClock()));
    await store.close();
  });
  afterAll(() => server.stop());

  const open: OpenStore = async (folder, clock) => {
    const url = databases.get(folder) ?? (await server.createDatabase());
    databases.set(folder, url);
    const { store } = await openPostgresDatabase(new Secret(url), watch(clock));
    return store;
  };

  describe.each([
    ['deciding and reserving', describeDecisionStore],
    ['the ledger', (opened: OpenStore) => describeLedger(opened, 'any')],
    ['limits', (opened: OpenStore) => describeLimitRows(opened, 3)],
    ['decisions', describeDecisionQueries],
    ['settlement', describeSettlementStore],
    ['copies', (opened: OpenStore) => describeSnapshots(opened, 'begin')],
    ['notifications', describeNotificationStore],
    ['policies', describePolicyStore],
    ['versions of the settings', describeSettingsVersion],
    ['the registry', describeRegistryStore],
    ['fees of chains', describeChainFeeStore],
    ['costs', describeCostStore],
    ["the operator's transactions", describeOperatorTransactionStore],
  ])('%s', (_part, describePart) => describePart(open));

  it('knows the vault of another engine once a change has been refused because of it', async () => {
    const url = new Secret(await server.createDatabase());
    const openOne = () => openPostgresDatabase(url, watch(new ManualClock()));
    const [one, other] = [await openOne(), await openOne()];
    await one.vault.update(() => 'sealed');
    const refuse = (): string => {
      throw new Error('There is one.');
    };
    await expect(other.vault.update(refuse)).rejects.toThrow('There is one.');
    expect(other.vault.current()).toBe('sealed');
    for (const { store } of [one, other]) await store.close();
  });

  describe('what operators change', () => {
    const tempFolder = useTempFolders();

    it('is reported as on SQLite, word for word', async () => {
      const clock = new ManualClock();
      const sqlite = openSqliteStore(join(tempFolder(), DATABASE), watch(clock));
      const stores = [await open(tempFolder(), clock), sqlite];
      const told: string[] = [];
      for (const store of stores) {
        await store.createAccount(account);
        await store.createDapp(paymaster());
        told.push(JSON.stringify(await toldChanges(store), null, 1));
        await store.close();
      }
      expect(told[0]).toBe(told[1]);
      expect(told[0]?.match(/"subject"/g)?.length).toBeGreaterThan(100);
    });
  });
});
