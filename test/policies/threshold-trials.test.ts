import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller, ProcedureInput, ProcedureOutput } from '../../src/api/index.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const call: Caller = (name, input) => desk().call(name, input);

const ITEMS = `0x${'17'.repeat(20)}` as const;
const USERS = ['a1', 'b2', 'c3'].map((digits) => `0x${digits.repeat(20)}`);
const HOUR_MS = 3_600_000;

type Change = ProcedureInput<'policies.tryThresholds'>['change'];
type Counts = NonNullable<ProcedureOutput<'policies.atThreshold'>>;

let dapp: SponsoredDapp;
let from: number;
let nonce = 0;
const ask = (method: 'mint' | 'burn'): Promise<string> => {
  nonce += 1;
  const op = operation(
    { to: ITEMS, data: gameCall(method) },
    { sender: USERS[nonce % USERS.length], nonce: `0x${nonce.toString(16)}` },
  );
  return dapp.sponsor(op).then(codeOf);
};

beforeAll(async () => {
  dapp = await desk().dapp();
  const contract = { paymasterId: dapp.paymasterId, name: 'Items', address: ITEMS, abi: gameItems.formatJson() };
  await call('contracts.create', { ...contract, whitelistedMethods: ['mint'] });
  await desk().limit(dapp, {
    name: 'Per user',
    type: 'SMART_ACCOUNT',
    hours: 24,
    thresholdType: 'COUNT',
    threshold: 12,
  });
  from = desk().clock.now();
  for (let hour = 0; hour < 6; hour += 1) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index % 10 === 0 ? 'burn' : 'mint')));
    await desk().clock.advance(HOUR_MS);
  }
});

const ruleId = async (): Promise<string> =>
  (await call('rules.list', { paymasterId: dapp.paymasterId })).find(({ name }) => name === 'Per user')!._id;
const moved = async (threshold: string): Promise<Change> => ({
  name: 'rules.updateLimit',
  input: {
    paymasterId: dapp.paymasterId,
    ruleId: await ruleId(),
    update: { threshold, thresholdType: 'COUNT', cycleDuration: { value: 1, unit: 'day' } },
  },
});
const added = (threshold: string): Change => ({
  name: 'rules.create',
  input: {
    paymasterId: dapp.paymasterId,
    rule: {
      name: 'Together',
      policyType: 'PAYMASTER_SA_LIMIT',
      policyData: {
        type: 'PAYMASTER',
        thresholdType: 'NATIVE_ASSET',
        threshold,
        cycleDuration: { value: 2, unit: 'hour' },
      },
    },
  },
});

const countsAt = async (input: ProcedureInput<'policies.atThreshold'>): Promise<Counts> => {
  const counts = await call('policies.atThreshold', input);
  if (counts === null) throw new Error('The trial was ended meanwhile');
  return counts;
};

const wholeAt = async (trialId: string, threshold: string): Promise<Counts> => {
  for (let seen = -1; ;) {
    const counts = await countsAt({ trialId, threshold, seen });
    if (counts.isWhole) return counts;
    seen = counts.done;
  }
};

const triedWith = async (change: Change) => {
  const { trialId } = await call('policies.try', { change, from });
  for (let seen = -1; ;) {
    const { done, result } = await call('policies.trial', { trialId, seen });
    seen = done;
    if (result === null) continue;
    const { decisions, same, nowSponsored, nowDenied, unknown, costWei, senders } = result.report;
    return { decisions, same, nowSponsored, nowDenied, unknown, costWei, senders };
  }
};

describe('under many thresholds of a limit, past decisions', () => {
  test('are what a trial of each threshold finds, for a limit of the policy', async () => {
    const { trialId } = await call('policies.tryThresholds', { change: await moved('1'), from });
    for (const threshold of ['1', '7', '12', '20', '36', '1000']) {
      const counts = await wholeAt(trialId, threshold);
      expect(counts.report).toEqual(await triedWith(await moved(threshold)));
      const sum = counts.series.steps.reduce((total, step) => total + step.nowDenied + step.nowSponsored, 0);
      expect(sum).toBe(counts.report.nowDenied + counts.report.nowSponsored);
    }
    const { report, useful } = await wholeAt(trialId, '20');
    expect(report).toMatchObject({ decisions: 120, nowSponsored: 24, nowDenied: 0 });
    // Each user has sent 36 that the contract allows.
    expect(useful).toEqual({ least: '1', most: '36' });
  });

  test('are what a trial of each threshold finds, for a new limit', async () => {
    const { trialId } = await call('policies.tryThresholds', { change: added('1'), from });
    const { useful } = await wholeAt(trialId, '1');
    for (const threshold of ['0.001', '0.01', useful!.least, useful!.most]) {
      const { report } = await wholeAt(trialId, threshold);
      expect(report).toEqual(await triedWith(added(threshold)));
    }
    expect((await wholeAt(trialId, useful!.most)).report.nowDenied).toBe(0);
    const least = (await wholeAt(trialId, useful!.least)).report;
    expect(least.nowDenied).toBeGreaterThan(0);
    expect(least.nowDenied).toBeLessThan(least.decisions);
  });

  test('are estimated at once by what their records name, and the newest is in the sample', async () => {
    const { trialId } = await call('policies.tryThresholds', { change: await moved('1'), from });
    const first = await countsAt({ trialId, threshold: '7' });
    expect(first).toMatchObject({ done: 0, isWhole: false, sampled: 120, report: { decisions: 120 } });
    expect(first.report.nowDenied).toBe((await wholeAt(trialId, '7')).report.nowDenied);
  });
});

test('a request for another threshold is answered at once, and ends the wait of the one before', async () => {
  const { trialId } = await call('policies.tryThresholds', { change: await moved('1'), from });
  const waiting = countsAt({ trialId, threshold: '7', seen: 1_000_000 });
  const next = await countsAt({ trialId, threshold: '8' });
  expect(next.report.decisions).toBe(120);
  expect((await waiting).report.decisions).toBe(120);
});

describe('a trial of thresholds ends', () => {
  const isOver = (asked: Promise<unknown>) => expect(asked).rejects.toMatchObject({ code: 'TRIAL_NOT_FOUND' });
  const begin = async (): Promise<string> =>
    (await call('policies.tryThresholds', { change: await moved('1'), from })).trialId;
  const at = (trialId: string) => call('policies.atThreshold', { trialId, threshold: '7' });

  test('when another one starts, but not when the policy is tried', async () => {
    const first = await begin();
    await triedWith(await moved('5'));
    await at(first);
    const second = await begin();
    await isOver(at(first));
    await at(second);
  });

  test('when its page is closed, or asks nothing for a minute', async () => {
    const closed = await begin();
    await call('policies.endThresholds', { trialId: closed });
    await isOver(at(closed));
    const left = await begin();
    await wholeAt(left, '7');
    await desk().clock.advance(2 * 60_000);
    await isOver(at(left));
  });

  test('with an answer to each request that waits', async () => {
    const change = await moved('1');
    // Ended before its thread has begun to read.
    const { trialId } = await call('policies.tryThresholds', { change, from });
    const waiting = call('policies.atThreshold', { trialId, threshold: '7', seen: 1_000_000 });
    await call('policies.endThresholds', { trialId });
    expect(await waiting).toBeNull();
  });

  test('with the desk', async () => {
    const trialId = await begin();
    await desk().restart();
    await isOver(at(trialId));
  });
});

test('what is no limit, or no threshold of it, is refused at once', async () => {
  const { paymasterId } = dapp;
  const refused = (change: Change, code: string) =>
    expect(call('policies.tryThresholds', { change, from })).rejects.toMatchObject({ code });
  await refused({ name: 'rules.updateLimit', input: { paymasterId, ruleId: 'gone', update: {} } }, 'RULE_NOT_FOUND');
  await refused(
    {
      name: 'rules.create',
      input: { paymasterId, rule: { name: 'Wallets', policyType: 'WALLET_DEPLOYMENT', policyData: {} } },
    },
    'NOT_A_LIMIT',
  );
  const { trialId } = await call('policies.tryThresholds', { change: await moved('1'), from });
  await expect(call('policies.atThreshold', { trialId, threshold: '0.5' })).rejects.toMatchObject({
    code: 'VALIDATION',
  });
});
