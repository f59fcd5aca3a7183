import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller, ProcedureInput, ProcedureOutput } from '../../src/api/index.ts';
import type { PolicyChange } from '../../src/api/policy-trials.ts';
import type { Policy } from '../../src/core/policy/policy.ts';
import { changedPolicy } from '../../src/engine/policy-trial/changed-policy.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { trialInProcess } from '../support/trial-in-process.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const call: Caller = (name, input) => desk().call(name, input);

const ITEMS = `0x${'17'.repeat(20)}` as const;
const USERS = ['a1', 'b2', 'c3'].map((digits) => `0x${digits.repeat(20)}`);
const MINUTE = 60_000;
const day = { value: 1, unit: 'day' } as const;
const perUser = (threshold: string) => ({
  name: 'Per user',
  policyType: 'PAYMASTER_SA_LIMIT',
  policyData: { type: 'SMART_ACCOUNT', thresholdType: 'COUNT', threshold, cycleDuration: day },
});
const NEW = { name: 'Items', address: ITEMS, abi: gameItems.formatJson(), whitelistedMethods: ['mint'] };

let dapp: SponsoredDapp;
let nonce = 0;
const ask = (method: 'mint' | 'burn', sender = USERS[nonce % USERS.length]): Promise<string> => {
  nonce += 1;
  const op = operation({ to: ITEMS, data: gameCall(method) }, { sender, nonce: `0x${nonce.toString(16)}` });
  return dapp.sponsor(op).then(codeOf);
};

type TrialInput = ProcedureInput<'policies.try'>;
type Result = NonNullable<ProcedureOutput<'policies.trial'>['result']>;

const begin = async (trying: TrialInput): Promise<string> => (await call('policies.try', trying)).trialId;
const resultOf = async (trialId: string): Promise<Result> => {
  for (let seen = -1; ;) {
    const { done, result } = await call('policies.trial', { trialId, seen });
    if (result !== null) return result;
    seen = done;
  }
};
const tried = async (change: TrialInput['change'], times = {}): Promise<Result> =>
  resultOf(await begin({ change, ...times }));
const inForce = async (): Promise<TrialInput['change']> => {
  const { paymasterId } = dapp;
  return {
    name: 'policies.apply',
    input: { paymasterId, text: (await call('policies.export', { paymasterId })).text },
  };
};
const addPerUser = (threshold: string): TrialInput['change'] => ({
  name: 'rules.create',
  input: { paymasterId: dapp.paymasterId, rule: perUser(threshold) },
});

/** When all was decided that is tried, epoch ms. */
let end: number;
beforeAll(async () => {
  dapp = await desk().dapp();
  await call('contracts.create', { paymasterId: dapp.paymasterId, ...NEW });
  for (let hour = 0; hour < 6; hour += 1) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => ask(index % 10 === 0 ? 'burn' : 'mint')));
    await desk().clock.advance(60 * MINUTE);
  }
  end = desk().clock.now();
});

describe('a change is tried on what the desk has decided', () => {
  test('in its thread as in the core', async () => {
    const change = addPerUser('20');
    const { report, series } = await tried(change);
    const flips = report.flips.map(({ at: _at, sender: _sender, ...flip }) => flip);
    expect({ ...report, flips }).toEqual(await trialInProcess(call, change));
    expect(report).toMatchObject({ decisions: 300, nowDenied: 210, unknown: 0 });
    expect(series.steps).toHaveLength(28);
    const sum = (key: 'before' | 'after') => series.steps.reduce((total, step) => total + step[key], 0);
    expect([sum('before'), sum('after')]).toEqual([270, 60]);
  });

  test('what is in force changes nothing', async () => {
    const { report } = await tried(await inForce());
    expect(report).toMatchObject({ decisions: 300, same: 300, flips: [] });
  });

  test('only those of a time, or the newest', async () => {
    const from = end - 2 * 60 * MINUTE;
    expect((await tried(await inForce(), { from })).report.decisions).toBe(100);
    expect((await tried(await inForce(), { to: from, last: 30 })).report.decisions).toBe(30);
  });

  test('each flip is shown as the draft decides it, by what the trial held', async () => {
    const trialId = await begin({ change: addPerUser('20') });
    const { flips } = (await resultOf(trialId)).report;
    const flip = await call('policies.flip', { trialId, decisionId: flips[0]!.id });
    expect(flip).toMatchObject({ outcome: 'denied', code: 'LIMIT_REACHED', rule: 'spendingLimit' });
    expect(flip.trace.find(({ rule }) => rule === 'spendingLimit')).toMatchObject({
      outcome: 'deny',
      evidence: { name: 'Per user', threshold: '20', used: '20' },
    });
    const [same] = (await dapp.decisions()).filter(({ id }) => flips.every((one) => one.id !== id));
    await expect(call('policies.flip', { trialId, decisionId: same!.id })).rejects.toMatchObject({
      code: 'DECISION_NOT_FOUND',
    });
  });

  test('data that does not fit the policy is reported at once', async () => {
    const { paymasterId } = dapp;
    const gone = { paymasterId, ruleId: 'gone' };
    const refused = (change: TrialInput['change'], code: string) =>
      expect(call('policies.try', { change })).rejects.toMatchObject({ code });
    await refused({ name: 'rules.delete', input: gone }, 'RULE_NOT_FOUND');
    await refused({ name: 'policies.apply', input: { paymasterId, text: 'version: 2' } }, 'POLICY_FILE_INVALID');
    await refused(
      { name: 'contracts.update', input: { paymasterId, address: ITEMS, whitelistedMethods: ['fly'] } },
      'UNKNOWN_CONTRACT_METHOD',
    );
    await refused({ name: 'rules.create', input: { ...gone } } as unknown as TrialInput['change'], 'VALIDATION');
  });
});

test('the thread of a trial tries the next one, too, and ends when none has come for a minute', async () => {
  const started: Worker[] = [];
  const note = (worker: Worker): void => void started.push(worker);
  process.on('worker', note);
  try {
    await desk().clock.advance(2 * MINUTE);
    for (const threshold of ['1', '2', '3']) await tried(addPerUser(threshold));
    expect(started).toHaveLength(1);
    const ended = once(started[0]!, 'exit');
    await desk().clock.advance(2 * MINUTE);
    await ended;
    await tried(addPerUser('1'));
    expect(started).toHaveLength(2);
  } finally {
    process.off('worker', note);
  }
});

describe('a trial ends', () => {
  const isOver = (asked: Promise<unknown>) => expect(asked).rejects.toMatchObject({ code: 'TRIAL_NOT_FOUND' });

  test('when it is cancelled, and its callers learn of it; the desk continues to decide', async () => {
    const trialId = await begin({ change: await inForce() });
    await call('policies.trial', { trialId });
    const waiting = isOver(call('policies.trial', { trialId, seen: 1_000 }));
    const another = await desk().dapp();
    const decided = another.sponsor(operation({ to: ITEMS, data: '0x' }));
    await call('policies.cancelTrial', { trialId });
    await waiting;
    expect(codeOf(await decided)).toBe('SPONSORED');
    await isOver(call('policies.trial', { trialId }));
    await call('policies.cancelTrial', { trialId });
  });

  test('when another one begins', async () => {
    const first = await begin({ change: await inForce() });
    const waiting = isOver(call('policies.trial', { trialId: first, seen: 1_000 }));
    const second = await begin({ change: addPerUser('1') });
    await waiting;
    expect((await resultOf(second)).report.nowDenied).toBeGreaterThan(0);
  });

  test('with the desk', async () => {
    const trialId = await begin({ change: await inForce() });
    const waiting = isOver(call('policies.trial', { trialId, seen: 1_000 }));
    await desk().restart();
    await waiting;
    await isOver(call('policies.trial', { trialId }));
    expect((await tried(await inForce())).report.nowDenied).toBe(0);
  });
});

/** A policy without what only the desk names, such as ids. */
const withoutIds = ({ contracts, rules, webhooks, dapp: { maxExpirySeconds } }: Policy) => ({
  contracts: contracts.map(({ ruleId: _, ...rest }) => rest),
  rules: rules.map(({ ruleId: _, ...rest }) => rest),
  webhooks: webhooks.map(({ webhookId: _, ...rest }) => rest),
  maxExpirySeconds,
});

test('what is tried is what the procedure then does', async () => {
  const { paymasterId } = await desk().dapp();
  const other = `0x${'18'.repeat(20)}` as const;
  const policy = async () => (await call('policies.show', { paymasterId })).policy;
  const make = async (change: TrialInput['change']): Promise<void> => {
    const draft = changedPolicy(await policy(), change as PolicyChange)(desk().clock.now());
    await desk().call(change.name, change.input);
    expect(withoutIds(await policy()), change.name).toEqual(withoutIds(draft));
    await desk().clock.advance(MINUTE);
  };
  const limit = perUser('5') as ProcedureInput<'rules.create'>['rule'];
  await make({ name: 'contracts.create', input: { paymasterId, ...NEW } });
  await make({ name: 'contracts.create', input: { paymasterId, ...NEW, name: 'Other', address: other } });
  await make({ name: 'contracts.update', input: { paymasterId, address: ITEMS, whitelistedMethods: ['burn'] } });
  await make({ name: 'rules.create', input: { paymasterId, rule: limit } });
  const { rules, contracts } = await policy();
  const target = { paymasterId, ruleId: rules[0]!.ruleId };
  await make({ name: 'rules.updateLimit', input: { ...target, update: { name: 'Two', threshold: '2' } } });
  await make({ name: 'rules.deactivate', input: target });
  await make({ name: 'rules.activate', input: target });
  await make({ name: 'rules.deactivate', input: { paymasterId, ruleId: contracts[1]!.ruleId } });
  await make({ name: 'contracts.delete', input: { paymasterId, address: other } });
  const webhookUrl = 'https://ann:secret@hooks.example/verify';
  await make({ name: 'webhooks.create', input: { paymasterId, webhookUrl, requestType: 'POST' } });
  const { webhooks } = await policy();
  const hook = { paymasterId, webhookId: webhooks[0]!.webhookId };
  await make({ name: 'webhooks.update', input: { ...hook, active: false } });
  await make({ name: 'webhooks.setUrl', input: { ...hook, webhookUrl: 'https://hooks.example/other' } });
  await make({ name: 'webhooks.delete', input: hook });
  await make({ name: 'rules.delete', input: target });
  await make({ name: 'paymasters.setMaxExpiry', input: { paymasterId, seconds: 600 } });
});
