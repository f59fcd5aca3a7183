import { describe, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { codeOf, codesOf, useOfflineDesk } from '../support/offline-desk.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const USER = `0x${'a1'.repeat(20)}`;

const op = (nonce: number, sender = USER): Record<string, unknown> =>
  operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce, sender });

const add = async ({ paymasterId }: SponsoredDapp, threshold: number, binding: object): Promise<string> => {
  const cycleDuration = { value: 1, unit: 'hour' };
  const policyData = { type: 'PAYMASTER', thresholdType: 'COUNT', threshold, cycleDuration };
  const rule = { name: `At most ${threshold}`, policyType: 'PAYMASTER_SA_LIMIT', policyData, ...binding };
  return (await desk().call<{ _id: string }>('rules.create', { paymasterId, rule }))._id;
};

const update = ({ paymasterId }: SponsoredDapp, ruleId: string, changes: object): Promise<unknown> =>
  desk().call('rules.update', { paymasterId, ruleId, update: changes });

const results = ({ paymasterId }: SponsoredDapp) =>
  desk().call<ProcedureOutput<'rules.shadowResults'>>('rules.shadowResults', { paymasterId });

const send = async (dapp: SponsoredDapp, count: number, from = 0): Promise<Record<string, number>> => {
  const replies = [];
  for (let nonce = from; nonce < from + count; nonce += 1) replies.push(await dapp.sponsor(op(nonce)));
  return codesOf(replies);
};

describe('a limit in shadow', () => {
  test('denies nothing, shows what it would deny, and keeps its counters once it is enforced', async () => {
    const dapp = await desk().dapp();
    const ruleId = await add(dapp, 2, { enforcement: 'shadow' });
    expect(await send(dapp, 5)).toEqual({ SPONSORED: 5 });
    expect(await results(dapp)).toEqual([{ ruleId, operations: 5, wouldDeny: 3, users: 1 }]);
    const listed = await desk().call<{ outcome: string }[]>('decisions.list', { wouldDeny: ruleId });
    expect(listed.map(({ outcome }) => outcome)).toEqual(['sponsored', 'sponsored', 'sponsored']);
    const [newest] = await dapp.decisions();
    expect(newest?.trace.find(({ shadow }) => shadow === ruleId)).toMatchObject({
      rule: 'spendingLimit',
      outcome: 'wouldDeny',
      code: 'LIMIT_REACHED',
      evidence: { used: '2' },
    });
    await desk().restart();
    await update(dapp, ruleId, { enforcement: 'enforce' });
    expect(await results(dapp)).toEqual([]);
    expect(await send(dapp, 1, 5)).toEqual({ LIMIT_REACHED: 1 });
  });

  test('counts nothing of what another rule denies', async () => {
    const dapp = await desk().dapp();
    const ruleId = await add(dapp, 3, { enforcement: 'shadow' });
    await add(dapp, 1, {});
    expect(await send(dapp, 4)).toEqual({ SPONSORED: 1, LIMIT_REACHED: 3 });
    expect(await results(dapp)).toEqual([{ ruleId, operations: 1, wouldDeny: 0, users: 0 }]);
  });

  test('restarts with other data, and continues with another name', async () => {
    const dapp = await desk().dapp();
    const ruleId = await add(dapp, 1, { enforcement: 'shadow' });
    await send(dapp, 2);
    await update(dapp, ruleId, { name: 'Renamed' });
    expect(await results(dapp)).toMatchObject([{ operations: 2, wouldDeny: 1 }]);
    const policyData = {
      type: 'PAYMASTER',
      thresholdType: 'COUNT',
      threshold: 2,
      cycleDuration: { value: 1, unit: 'hour' },
    };
    await update(dapp, ruleId, { policyData });
    expect(await results(dapp)).toMatchObject([{ operations: 0, wouldDeny: 0 }]);
    expect(await send(dapp, 3, 2)).toEqual({ SPONSORED: 3 });
    expect(await results(dapp)).toMatchObject([{ operations: 3, wouldDeny: 1 }]);
  });
});

describe('a rule with a time', () => {
  test('applies from its start until its end', async () => {
    const dapp = await desk().dapp();
    const now = desk().clock.now();
    const ruleId = await add(dapp, 1, { activeFrom: now + 1000, activeUntil: now + 5000 });
    expect(await send(dapp, 3)).toEqual({ SPONSORED: 3 });
    await desk().clock.advance(1000);
    expect(await send(dapp, 3, 3)).toEqual({ SPONSORED: 1, LIMIT_REACHED: 2 });
    await desk().clock.advance(4000);
    expect(await send(dapp, 2, 6)).toEqual({ SPONSORED: 2 });
    const [newest] = await dapp.decisions();
    expect(newest?.trace).toContainEqual({
      rule: 'spendingLimit',
      outcome: 'skip',
      code: 'NO_LONGER_ACTIVE',
      micros: 0,
      evidence: { rule: 'At most 1', endedAt: now + 5000 },
    });
    await update(dapp, ruleId, { activeUntil: null });
    expect(codeOf(await dapp.sponsor(op(8)))).toBe('LIMIT_REACHED');
  });

  test.each([
    { activeFrom: 5, activeUntil: 5 },
    { activeFrom: 6, activeUntil: 5 },
  ])('is refused with %o', async (binding) => {
    const dapp = await desk().dapp();
    await expect(add(dapp, 1, binding)).rejects.toThrow('activeUntil must be after activeFrom');
    const ruleId = await add(dapp, 1, {});
    await expect(update(dapp, ruleId, binding)).rejects.toThrow('activeUntil must be after activeFrom');
  });
});

describe('an update of a rule', () => {
  test('says which data is wrong, and changes nothing then', async () => {
    const dapp = await desk().dapp();
    const ruleId = await add(dapp, 1, {});
    await expect(update(dapp, ruleId, { name: 'New', policyData: { type: 'PAYMASTER' } })).rejects.toThrow(
      'threshold must be a positive number',
    );
    const list = await desk().call<{ name: string }[]>('rules.list', { paymasterId: dapp.paymasterId });
    expect(list).toMatchObject([{ name: 'At most 1' }]);
    await expect(update(dapp, 'no-such-rule', { name: 'New' })).rejects.toMatchObject({ code: 'RULE_NOT_FOUND' });
  });

  test('keeps the credentials of a URL that is sent as it is shown', async () => {
    const dapp = await desk().dapp();
    const { paymasterId } = dapp;
    const receiver = await startReceiver((_, response) => response.end('{"arePoliciesVerified":true}'));
    const url = receiver.url.replace('//', '//me:secret@');
    const rule = { name: 'Ask', policyType: 'WEBHOOK', policyData: { url } };
    const { _id: ruleId } = await desk().call<{ _id: string }>('rules.create', { paymasterId, rule });
    const shown = { url: receiver.url.replace('//', '//[secret]@'), failOpen: true };
    expect(await update(dapp, ruleId, { policyData: shown })).toMatchObject({ policyData: shown });
    await dapp.sponsor(op(0));
    await update(dapp, ruleId, { policyData: { url: receiver.url } });
    await dapp.sponsor(op(1));
    const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    expect(receiver.calls.map(({ headers }) => headers.authorization)).toEqual([basic, undefined]);
  });
});
