import { describe, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { FEE, RESERVED_WEI, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const HOUR = 3_600_000;
const user = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`;
const send = async (dapp: SponsoredDapp, sender: string, times = 1): Promise<void> => {
  for (let nonce = 0; nonce < times; nonce += 1) {
    const overrides = { sender, nonce, maxFeePerGas: String(FEE) };
    await dapp.sponsor(operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, overrides));
  }
};
const usageOf = ({ paymasterId }: SponsoredDapp) =>
  desk().call<ProcedureOutput<'rules.usage'>>('rules.usage', { paymasterId });

describe('the usage of a limit', () => {
  test('is exact to the wei, and says when its window ends', async () => {
    const dapp = await desk().dapp();
    const ruleId = await desk().limit(dapp, { thresholdType: 'NATIVE_ASSET', threshold: 1, name: 'A coin' });
    const startedAt = desk().clock.now();
    await send(dapp, user(1));
    await send(dapp, user(2));
    const [usage] = await usageOf(dapp);
    const used = String(2n * RESERVED_WEI);
    expect(usage).toEqual({
      ruleId,
      name: 'A coin',
      active: true,
      unit: 'wei',
      threshold: String(10n ** 18n),
      used,
      perUser: null,
      windowEndsAt: startedAt + HOUR,
    });
    await desk().clock.advance(HOUR);
    expect((await usageOf(dapp))[0]).toMatchObject({ used: '0', windowEndsAt: startedAt + 2 * HOUR });
  });

  test('names those who are nearest to it, and counts those who are at it', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 3, type: 'SMART_ACCOUNT' });
    // Another limit's users, and another DApp's, are none of this one's.
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 100, type: 'SMART_ACCOUNT' });
    for (let index = 1; index <= 12; index += 1) await send(dapp, user(index));
    await send(dapp, user(5), 4);
    await send(dapp, user(7), 1);
    const [usage, other] = await usageOf(dapp);
    expect(usage).toMatchObject({ unit: 'operations', threshold: '3', used: '3' });
    expect(usage?.perUser).toMatchObject({ users: 12, atLimit: 1 });
    expect(usage?.perUser?.nearest).toHaveLength(10);
    expect(usage?.perUser?.nearest.slice(0, 2)).toEqual([
      { user: user(5), used: '3' },
      { user: user(7), used: '2' },
    ]);
    expect(other?.perUser).toMatchObject({ users: 12, atLimit: 0 });
  });

  test('is empty without users; a change of the limit restarts it', async () => {
    const dapp = await desk().dapp();
    const ruleId = await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 3, type: 'SMART_ACCOUNT' });
    const nothing = { used: '0', perUser: { users: 0, atLimit: 0, nearest: [] } };
    expect((await usageOf(dapp))[0]).toMatchObject(nothing);
    await send(dapp, user(1));
    await desk().call('rules.updateLimit', { paymasterId: dapp.paymasterId, ruleId, update: { threshold: '5' } });
    expect((await usageOf(dapp))[0]).toMatchObject({ ...nothing, threshold: '5' });
  });
});

test('a denial is decided again under the policy in force, and nothing is stored or reserved by that', async () => {
  const dapp = await desk().dapp();
  const ruleId = await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1, type: 'SMART_ACCOUNT' });
  await send(dapp, user(1), 2);
  const [denied, sponsored] = await dapp.decisions();
  const again = (decisionId: string) =>
    desk().call<ProcedureOutput<'rules.decideAgain'>>('rules.decideAgain', { decisionId });
  expect(await again(denied!.id)).toMatchObject({ verdict: 'denied', reason: { code: 'LIMIT_REACHED' } });
  const { paymasterId } = dapp;
  await desk().call('rules.updateLimit', { paymasterId, ruleId, update: { threshold: '5' } });
  const passed = await again(denied!.id);
  expect(passed).toMatchObject({ verdict: 'sponsored', reason: null });
  expect(passed.steps).toContainEqual({ rule: 'spendingLimit', outcome: 'pass' });
  expect(passed.steps.map(({ rule }) => rule)).toEqual(denied!.trace.map(({ rule }) => rule));
  expect(await again(sponsored!.id)).toMatchObject({ verdict: 'sponsored', reason: null });
  expect(await dapp.decisions()).toEqual([denied, sponsored]);
  expect((await usageOf(dapp))[0]).toMatchObject({ used: '0' });
  await expect(again('nobody')).rejects.toMatchObject({ code: 'DECISION_NOT_FOUND' });
});
