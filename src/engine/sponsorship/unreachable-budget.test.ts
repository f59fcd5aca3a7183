import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sized } from '../../../test/support/combinations.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { account, decision, paymaster } from '../../../test/support/store-records.ts';
import { useTempFolders } from '../../../test/support/temp-folder.ts';
import { createLog } from '../base/log.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { SENDER, factsWith, policyWith, ruleInputWith } from '../../../test/support/facts.ts';
import { unreachable } from '../../core/rules/unreachable.ts';
import { renewUnreachableBudget, unreachableBudget } from './unreachable-budget.ts';

const tempFolder = useTempFolders();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BUDGET = 100n;

/** A store with a chain whose node can be made unreachable. */
const openDesk = async () => {
  const file = join(tempFolder(), 'gasdesk.db');
  const clock = new ManualClock();
  const log = createLog({ level: 'silent' });
  const open = (): Store => openSqliteStore(file, { clock, log });
  let store = open();
  const settings = {
    name: null,
    symbol: null,
    bundler: null,
    treasury: null,
    breaker: null,
    maxOperationCostWei: null,
    forwardBundler: null,
    price: null,
    gasSchedule: null,
  };
  const chain = { ...settings, chainId: 5, rpc: 'http://node', unreachableBudgetWei: String(BUDGET) };
  await store.createAccount(account);
  await store.createDapp(paymaster());
  await store.saveChain(chain);
  let decisions = 0;
  const look = async (maxCost: bigint) => {
    const { price: _none, ...settings } = (await store.findChain(5))!;
    const { dapp } = policyWith();
    const policy = policyWith({ dapp: { ...dapp, chainId: 5 }, chain: settings });
    return ruleInputWith(policy, factsWith({ at: clock.now(), chain: null }), SENDER, maxCost);
  };
  return {
    clock,
    /** The node answers a decision. */
    answer: async () => renewUnreachableBudget(store, (await store.findChain(5))!, clock.now()),
    /** An operation while the node is unreachable. @returns whether it is signed */
    sign: async (wei: bigint): Promise<boolean> => {
      const input = await look(wei);
      let reserve = false;
      const reservations = unreachable.reserve!(input);
      await store.decideAndReserve({ reservations, ledgerVersion: await store.ledgerVersion() }, (held) => {
        reserve = unreachable.check(input, held)[0]?.outcome === 'pass';
        decisions += 1;
        return { decision: () => decision({ id: `decision-${decisions}` }), reserve };
      });
      return reserve;
    },
    used: () => unreachableBudget(store, chain),
    set: (unreachableBudgetWei: bigint | null) =>
      store.saveChain({
        ...chain,
        unreachableBudgetWei: unreachableBudgetWei === null ? null : `${unreachableBudgetWei}`,
      }),
    restart: async () => {
      await store.close();
      store = open();
    },
    close: () => store.close(),
  };
};

describe('the budget of a chain whose node is unreachable', () => {
  test('is signed for to the wei, and shown with its start', async () => {
    const { clock, sign, used, close } = await openDesk();
    expect(await used()).toEqual({ budgetWei: '100', signedWei: '0', since: null });
    await clock.advance(90_000);
    const since = clock.now() - (clock.now() % MINUTE);
    expect(await sign(60n)).toBe(true);
    await clock.advance(5 * MINUTE);
    expect(await sign(41n)).toBe(false);
    expect(await sign(40n)).toBe(true);
    expect(await sign(1n)).toBe(false);
    expect(await used()).toEqual({ budgetWei: '100', signedWei: '100', since });
    await close();
  });

  test('is not renewed by time while the node is silent, nor by an answer within an hour, nor by a restart', async () => {
    const { clock, sign, answer, restart, close } = await openDesk();
    expect(await sign(100n)).toBe(true);
    await clock.advance(30 * HOUR);
    expect(await sign(1n)).toBe(false);
    await restart();
    expect(await sign(1n)).toBe(false);
    await answer();
    expect(await sign(100n)).toBe(true);
    for (let minute = 0; minute < 60; minute += 1) {
      await answer();
      expect(await sign(1n)).toBe(false);
      await clock.advance(MINUTE);
    }
    await clock.advance(MINUTE);
    expect(await sign(1n)).toBe(false);
    await answer();
    expect(await sign(1n)).toBe(true);
    await close();
  });

  test('is not renewed by setting it again; a higher one adds the difference, none signs nothing', async () => {
    const { sign, set, close } = await openDesk();
    expect(await sign(100n)).toBe(true);
    await set(null);
    expect(await sign(1n)).toBe(false);
    await set(BUDGET);
    expect(await sign(1n)).toBe(false);
    await set(BUDGET + 1n);
    expect(await sign(1n)).toBe(true);
    expect(await sign(1n)).toBe(false);
    await close();
  });

  const event = fc.oneof(
    { weight: 6, arbitrary: fc.record({ does: fc.constant('sign' as const), wei: fc.bigInt(1n, 60n) }) },
    { weight: 3, arbitrary: fc.record({ does: fc.constant('answer' as const) }) },
    { weight: 4, arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.nat(50 * MINUTE) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.constant(HOUR) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('restart' as const) }) },
  );

  test('is never exceeded within an hour, nor between two answers, however the node comes and goes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
        const { clock, sign, answer, restart, close } = await openDesk();
        const signed: { at: number; wei: bigint; answers: number }[] = [];
        let answers = 0;
        for (const one of events) {
          if (one.does === 'pass') await clock.advance(one.ms);
          if (one.does === 'restart') await restart();
          if (one.does === 'answer') {
            answers += 1;
            await answer();
          }
          if (one.does === 'sign' && (await sign(one.wei))) signed.push({ at: clock.now(), wei: one.wei, answers });
        }
        await close();
        const sum = (some: typeof signed): bigint => some.reduce((total, { wei }) => total + wei, 0n);
        for (const { at } of signed) {
          const within = signed.filter((other) => other.at <= at && other.at > at - HOUR);
          expect(sum(within)).toBeLessThanOrEqual(BUDGET);
        }
        for (let count = 0; count <= answers; count += 1) {
          expect(sum(signed.filter((one) => one.answers === count))).toBeLessThanOrEqual(BUDGET);
        }
      }),
      { numRuns: sized(60, 15) },
    );
  });
});
