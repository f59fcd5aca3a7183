import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import type { DeskDatabase } from '../../src/engine/store/database.ts';
import type { Holds } from '../../src/engine/store/decision-store.ts';
import { openPostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { auditDesk } from '../support/audit-desk.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { withdrawal as operatorWithdrawal } from '../support/store-records.ts';
import { ask, canShare, promiseIn, useEngines } from '../support/several-engines.ts';

const CHAIN = 31337;
const TANK = { kind: 'tank', id: 'a tank that pays for nothing else' } as const;
const AMOUNT = 20n;

describe.skipIf(!canShare)('what one of several engines holds for a withdrawal', () => {
  const engines = useEngines();

  const open = async (url: string, clock: Clock = systemClock): Promise<DeskDatabase['store']> => {
    const log = createLog({ level: 'silent' });
    const { store } = await openPostgresDatabase(new Secret(url), { clock, log });
    // The test may have closed it itself.
    onTestFinished(() => store.close().catch(() => undefined));
    return store;
  };
  /** Holds until the test says that the withdrawal is sent. */
  const hold = async (store: DeskDatabase['store']) => {
    const [isHeld, isSent] = [Promise.withResolvers<Holds>(), Promise.withResolvers<undefined>()];
    const reservations = [{ account: TANK, kind: 'tank', amount: AMOUNT } as const];
    const done = store.withHold(
      { reservations, ledgerVersion: await store.ledgerVersion() },
      () => undefined,
      (holds) => {
        isHeld.resolve(holds);
        return isSent.promise;
      },
    );
    return {
      holds: await isHeld.promise,
      sent: () => {
        isSent.resolve(undefined);
        return done;
      },
    };
  };
  const held = async (store: DeskDatabase['store']): Promise<bigint | undefined> =>
    (await store.heldOf([{ account: TANK }]))[0];
  const desk = () => engines.desk(async ({ dapp }) => ({ apiKey: (await dapp(CHAIN)).apiKey }));

  it('is still held when its line was cut, and another one starts in that moment', async () => {
    const { database } = await desk();
    const line = await startDatabaseProxy(database);
    onTestFinished(() => line.stop());
    const holding = await open(line.url);
    const withdrawal = await hold(holding);
    line.swallow();
    line.mend();
    const other = await open(database);
    expect(await held(other)).toBe(AMOUNT);
    await withdrawal.sent();
    await expect.poll(() => held(other)).toBe(0n);
  });

  it('is given back where its engine stood still for a minute, which then records nothing, and so sends nothing', async () => {
    const { database } = await desk();
    const line = await startDatabaseProxy(database);
    onTestFinished(() => line.stop());
    const frozen = await open(line.url);
    const withdrawal = await hold(frozen);
    // Nothing comes from it any more, as from a process that is stopped.
    line.swallow();
    const clock = new ManualClock();
    const other = await open(database, clock);
    expect(await held(other)).toBe(AMOUNT);
    await expect
      .poll(async () => {
        await clock.advance(61_000);
        return held(other);
      })
      .toBe(0n);
    line.mend();
    const transaction = operatorWithdrawal('thawed');
    await expect
      .poll(() => frozen.saveOperatorTransaction(transaction, withdrawal.holds).catch(() => 'cut'))
      .toBe(false);
    await withdrawal.sent();
    expect(await other.listOperatorTransactions({})).toEqual([]);
  });

  it('continue while others start, are killed and start again, which the log knows', async () => {
    const { database, apiKey } = await desk();
    const holding = await open(database);
    const withdrawal = await hold(holding);
    const signs = async ({ url }: { readonly url: string }): Promise<void> => {
      expect(promiseIn(await ask({ url, chainId: CHAIN, apiKey }, 1))).toBeDefined();
    };
    const [one, killed] = await Promise.all([engines.start(database), engines.start(database)]);
    await Promise.all([one, killed].map(signs));
    killed.signal('SIGKILL');
    await killed.ended;
    const restarted = await engines.start(database);
    await signs(restarted);
    expect(await held(holding)).toBe(AMOUNT);
    const again = await hold(holding);
    await withdrawal.sent();
    expect(await held(holding)).toBe(AMOUNT);
    for (const engine of [one, restarted]) engine.signal('SIGTERM');
    await Promise.all([one.ended, restarted.ended]);
    await again.sent();
    expect(await held(holding)).toBe(0n);
    await holding.close();
    await auditDesk(engines, { database });
  });
});
