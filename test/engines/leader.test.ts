import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import type { DeskDatabase } from '../../src/engine/store/database.ts';
import { openPostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { ask, canShare, promiseIn, useEngines } from '../support/several-engines.ts';

const CHAIN = 31337;
/** Another engine leads within this time. */
const TAKEN_OVER_MS = 10_000;

const leads = ({ engines }: DeskDatabase): boolean => engines.isLeader();

/** Samples while `end` has not come: never do two lead. */
const neverTwo = async (all: readonly DeskDatabase[], end: Promise<void>): Promise<void> => {
  const seen = { isOver: false, leaders: 0 };
  const isOver = (): boolean => seen.isOver;
  end.finally(() => (seen.isOver = true)).catch(() => undefined);
  while (!isOver()) {
    seen.leaders = Math.max(seen.leaders, all.filter(leads).length);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await end;
  expect(seen.leaders).toBeLessThanOrEqual(1);
};

describe.skipIf(!canShare)('of several engines on one database', () => {
  const engines = useEngines();

  const open = async (url: string): Promise<DeskDatabase> => {
    const log = createLog({ level: 'silent' });
    const database = await openPostgresDatabase(new Secret(url), { clock: systemClock, log });
    // The test may have closed it itself.
    onTestFinished(() => database.store.close().catch(() => undefined));
    return database;
  };
  const takenOver = async (by: readonly DeskDatabase[]): Promise<void> => {
    await expect.poll(() => by.filter(leads).length, { timeout: TAKEN_OVER_MS, interval: 50 }).toBe(1);
  };
  const desk = () => engines.desk(async ({ dapp }) => ({ apiKey: (await dapp(CHAIN)).apiKey }));

  it('exactly one leads, and another one soon after it was killed', async () => {
    const { database } = await desk();
    const leader = await engines.start(database);
    const others = [await open(database), await open(database)];
    expect(others.filter(leads)).toEqual([]);
    leader.signal('SIGKILL');
    await neverTwo(others, takenOver(others));
  });

  it('another one leads soon after the leader froze, which leads no more when it continues', async () => {
    const { database, apiKey } = await desk();
    const leader = await engines.start(database);
    const others = [await open(database), await open(database)];
    process.kill(leader.pid, 'SIGSTOP');
    await neverTwo(others, takenOver(others));
    process.kill(leader.pid, 'SIGCONT');
    const asked = () => ask({ url: leader.url, chainId: CHAIN, apiKey }, 1).then(promiseIn);
    await expect.poll(asked, { interval: 200 }).toBeDefined();
    const locks = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 0 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    expect(await engines.server().query(locks, new URL(database).pathname.slice(1))).toHaveLength(1);
    expect(others.filter(leads)).toHaveLength(1);
  });

  it('another one leads soon after the line of the leader swallows everything, and never both', async () => {
    const { database } = await desk();
    const line = await startDatabaseProxy(database);
    onTestFinished(() => line.stop());
    const leader = await open(line.url);
    const other = await open(database);
    expect([leads(leader), leads(other)]).toEqual([true, false]);
    line.swallow();
    await neverTwo([leader, other], takenOver([other]));
    expect([leads(leader), leads(other)]).toEqual([false, true]);
    line.mend();
    await expect.poll(() => leader.store.listAccounts().catch(() => [])).toHaveLength(1);
    await other.store.close();
    await takenOver([leader]);
  });
});
