import { describe, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const TARGET = `0x${'11'.repeat(20)}` as const;

const op = (nonce: number): Record<string, unknown> => operation({ to: TARGET, data: '0x12345678' }, { nonce });

const add = async ({ paymasterId }: SponsoredDapp, policyType: string, policyData: object, binding: object = {}) => {
  const rule = { name: policyType, policyType, policyData, ...binding };
  return (await desk().call<{ _id: string }>('rules.create', { paymasterId, rule }))._id;
};

const condition = (dapp: SponsoredDapp, expression: string, message = 'Not this one.') =>
  add(dapp, 'CONDITION', { expression, message });

const context = (webhookData: object) => ({ sponsorshipInfo: { webhookData } });

describe('a CONDITION', () => {
  test('denies with its own message what does not meet it, and says what it met', async () => {
    const dapp = await desk().dapp();
    await condition(dapp, 'context.tier == "gold" && op.nonce < 3', 'Only gold members, three times.');
    expect(codeOf(await dapp.sponsor(op(1), context({ tier: 'gold' })))).toBe('SPONSORED');
    const { body } = await dapp.sponsor(op(3), context({ tier: 'gold' }));
    expect(body.result?.reason).toEqual({
      code: 'CONDITION_NOT_MET',
      rule: 'condition',
      message: 'Only gold members, three times.',
      hint: 'The condition "CONDITION" must be true: op.nonce < 3. Here op.nonce is 3.',
    });
    const failed = await dapp.sponsor(op(2));
    expect(failed.body.result?.reason).toMatchObject({
      code: 'CONDITION_FAILED',
      message: 'The condition of the rule "CONDITION" cannot be evaluated for this operation: No such key: tier.',
    });
  });

  test('sees the policy id that a client sends, in both spellings', async () => {
    const dapp = await desk().dapp();
    await condition(dapp, 'has(context.policyId) ? context.policyId == "a" : context.sponsorshipPolicyId == "a"');
    expect(codeOf(await dapp.sponsor(op(1), { policyId: 'a' }))).toBe('SPONSORED');
    expect(codeOf(await dapp.sponsor(op(2), { sponsorshipPolicyId: 'a' }))).toBe('SPONSORED');
    expect(codeOf(await dapp.sponsor(op(3), { policyId: 'b' }))).toBe('CONDITION_NOT_MET');
  });

  test('is refused where it is none, by what is wrong with it and where', async () => {
    const dapp = await desk().dapp();
    await expect(condition(dapp, 'op.nonce <')).rejects.toThrow('expression must be a condition in CEL');
    await expect(condition(dapp, 'op.sender > 5')).rejects.toThrow('no such overload: string > int (at character 1)');
    const limit = {
      type: 'PAYMASTER',
      thresholdType: 'COUNT',
      threshold: 1,
      cycleDuration: { value: 1, unit: 'hour' },
    };
    await expect(add(dapp, 'PAYMASTER_SA_LIMIT', limit, { when: '1' })).rejects.toThrow(
      'when must be a condition in CEL',
    );
  });

  test('that an operation makes expensive denies it, and the next request is served', async () => {
    const dapp = await desk().dapp();
    await condition(dapp, 'context.list.all(a, context.list.all(b, a + b >= 0))');
    const list = Array.from({ length: 4_000 }, (_, index) => index);
    expect(codeOf(await dapp.sponsor(op(1), context({ list })))).toBe('CONDITION_FAILED');
    expect(codeOf(await dapp.sponsor(op(2), context({ list: [1, 2] })))).toBe('SPONSORED');
  });

  const mint = { type: 'function', name: 'mint', inputs: [{ name: 'amount', type: 'uint256' }] };
  test.each<[what: string, entry: object]>([
    ['as compilers write it', { ...mint, outputs: [], stateMutability: 'nonpayable' }],
    ['without a type', { name: mint.name, inputs: mint.inputs }],
    ['with a parameter that has no Solidity name', { ...mint, inputs: [{ name: 'mint-amount', type: 'uint256' }] }],
    ['with a number for a name', { ...mint, inputs: [{ name: 5, type: 'uint256' }] }],
    ['with an indexed parameter', { ...mint, inputs: [{ name: 'amount', type: 'uint256', indexed: true }] }],
    ["with a library's output", { ...mint, outputs: [{ name: '', type: 'enum Items.State' }] }],
    ['with an output that has no Solidity name', { ...mint, outputs: [{ name: 'my out', type: 'uint256' }] }],
  ])('on an argument binds for a function %s', async (_what, entry) => {
    const dapp = await desk().dapp();
    const contract = { name: 'Items', address: TARGET, abi: JSON.stringify([entry]), whitelistedMethods: ['mint'] };
    await desk().call('contracts.create', { paymasterId: dapp.paymasterId, ...contract });
    await condition(dapp, 'calls.all(c, c.signature != "mint(uint256)" || c.args[0] <= 10)');
    const minting = (amount: number) =>
      operation({ to: TARGET, data: `0xa0712d68${amount.toString(16).padStart(64, '0')}` }, { nonce: amount });
    expect(codeOf(await dapp.sponsor(minting(10)))).toBe('SPONSORED');
    expect(codeOf(await dapp.sponsor(minting(1_000)))).toBe('CONDITION_NOT_MET');
  });

  test('is no less exact than the integers it is given', async () => {
    const dapp = await desk().dapp();
    await condition(dapp, 'context.amount > 9007199254740992');
    const ask = (nonce: number, amount: string) =>
      desk()
        .engine()
        .post(`/api/v1/31337/${dapp.apiKey}`, {
          jsonrpc: '2.0',
          id: 1,
          method: 'pm_sponsorUserOperation',
          params: [op(nonce), { mode: 'SPONSORED', ...context({ amount }) }],
        });
    // As text it is no number: only what is sent as one is compared.
    expect(codeOf(await ask(1, '9007199254740993'))).toBe('CONDITION_FAILED');
  });
});

test('text that has no UTF-8 form, and so no hash, is refused in every rule', async () => {
  const dapp = await desk().dapp();
  const refused = 'must be text, without halves of surrogate pairs';
  await expect(condition(dapp, 'true', '\ud800')).rejects.toThrow(`message ${refused}`);
  await expect(condition(dapp, "dapp.name != '\ud800'")).rejects.toThrow(`expression ${refused}`);
  const token = { source: 'OIDC', issuer: 'https://id.example', audience: 'game', jwksUrl: 'https://id.example/keys' };
  for (const field of ['issuer', 'audience', 'claim', 'senderClaim']) {
    await expect(add(dapp, 'IDENTITY', { ...token, [field]: 'a\udfff' })).rejects.toThrow(`${field} ${refused}`);
  }
  await expect(
    add(dapp, 'CONDITION', { expression: 'true', message: 'No' }, { when: "'\ud800' == ''" }),
  ).rejects.toThrow(`when ${refused}`);
  expect(codeOf(await dapp.sponsor(op(1)))).toBe('SPONSORED');
});

describe('when', () => {
  const limit = { type: 'PAYMASTER', thresholdType: 'COUNT', threshold: 1, cycleDuration: { value: 1, unit: 'hour' } };

  test('narrows a limit to the operations that meet it, which alone it counts', async () => {
    const dapp = await desk().dapp();
    await add(dapp, 'PAYMASTER_SA_LIMIT', limit, { when: 'has(context.policyId) && context.policyId == "summer"' });
    const ask = async (nonce: number, policyId?: string) =>
      codeOf(await dapp.sponsor(op(nonce), policyId === undefined ? {} : { policyId }));
    expect([await ask(1), await ask(2), await ask(3, 'winter')]).toEqual(['SPONSORED', 'SPONSORED', 'SPONSORED']);
    expect([await ask(4, 'summer'), await ask(5, 'summer')]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
    expect(await ask(6)).toBe('SPONSORED');
  });

  test('denies where it cannot be evaluated', async () => {
    const dapp = await desk().dapp();
    await add(dapp, 'PAYMASTER_SA_LIMIT', limit, { when: 'context.policyId == "summer"' });
    expect(codeOf(await dapp.sponsor(op(1)))).toBe('CONDITION_FAILED');
    expect(codeOf(await dapp.sponsor(op(2), { policyId: 'winter' }))).toBe('SPONSORED');
  });

  test('narrows a shadow rule and is removed by null', async () => {
    const dapp = await desk().dapp();
    const ruleId = await add(dapp, 'PAYMASTER_SA_LIMIT', limit, { when: 'op.nonce > 100', enforcement: 'shadow' });
    expect(codeOf(await dapp.sponsor(op(1)))).toBe('SPONSORED');
    const { paymasterId } = dapp;
    const results = () => desk().call('rules.shadowResults', { paymasterId });
    expect(await results()).toMatchObject([{ operations: 0 }]);
    await desk().call('rules.update', { paymasterId, ruleId, update: { when: null } });
    expect(codeOf(await dapp.sponsor(op(2)))).toBe('SPONSORED');
    expect(await results()).toMatchObject([{ operations: 1, wouldDeny: 0 }]);
  });
});

test('a condition is evaluated on what was decided before, as it is typed, and nothing is stored', async () => {
  const dapp = await desk().dapp();
  await dapp.sponsor(op(1), context({ tier: 'silver' }));
  const decisions = await dapp.decisions();
  const evaluate = (expression: string, decisionId = decisions[0]?.id) =>
    desk().call<ProcedureOutput<'rules.evaluate'>>('rules.evaluate', { decisionId, expression });
  expect(await evaluate('context.tier == "gold"')).toEqual({
    answer: 'false',
    failure: null,
    readings: [{ text: 'context.tier', value: '"silver"' }],
  });
  expect(await evaluate('context.level > 3')).toMatchObject({ answer: 'failed', failure: 'No such key: level' });
  await expect(evaluate('context.tier ==')).rejects.toThrow('expression must be a condition in CEL');
  await expect(evaluate('true', 'nobody')).rejects.toMatchObject({ code: 'DECISION_NOT_FOUND' });
  expect(await dapp.decisions()).toEqual(decisions);
});
