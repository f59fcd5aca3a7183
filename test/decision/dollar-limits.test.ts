import { expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { sized } from '../support/combinations.ts';
import { codeOf, codesOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';

const desk = useOfflineDesk();
const GWEI = 1_000_000_000n;
const DAY = 86_400_000;
/** Operations at once. */
const CROWD = sized(1_000, 200);
const ALICE = `0x${'a1'.repeat(20)}`;

/** An operation that may cost a thousandth of a coin, and `more` wei per gas on top. */
const costingAThousandth = (nonce: number, more = 0n, sender = ALICE): Record<string, unknown> =>
  operation(
    { to: `0x${'11'.repeat(20)}`, data: '0x12345678' },
    {
      sender,
      nonce,
      callGasLimit: String(1_000_000 - 12_004),
      verificationGasLimit: '1',
      preVerificationGas: '1',
      maxFeePerGas: String(GWEI + more),
      maxPriorityFeePerGas: '0',
    },
  );
const many = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => costingAThousandth(first + index));
const priced = (usd: string | null) =>
  desk().call('chains.set', { chainId: 31337, price: usd === null ? null : { source: 'static', usd } });
const usageOf = async ({ paymasterId }: { paymasterId: string }) =>
  (await desk().call<ProcedureOutput<'rules.usage'>>('rules.usage', { paymasterId }))[0];

test.each([
  ['3000', 100],
  ['3000.000000000000000001', 99],
  ['2999.99', 100],
  ['299999.99', 1],
])('at %s dollars for a coin, a limit of 300 dollars sponsors %i of a crowd at once', async (usd, sponsored) => {
  await priced(usd);
  const dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'USD', threshold: 300 });
  const replies = await Promise.all(many(CROWD).map((op) => dapp.sponsor(op)));
  expect(codesOf(replies)).toEqual({ SPONSORED: sponsored, LIMIT_REACHED: CROWD - sponsored });
});

test('a more expensive coin takes more of what is left, and earlier signatures keep their price', async () => {
  const dapp = await desk().dapp();
  await desk().limit(dapp, { name: 'Ten', thresholdType: 'USD', threshold: 10 });
  await priced('3000');
  expect(codesOf(await Promise.all(many(2).map((op) => dapp.sponsor(op))))).toEqual({ SPONSORED: 2 });
  await priced('4000.000000000000000001');
  const { body } = await dapp.sponsor(costingAThousandth(2));
  expect(body.result?.reason).toMatchObject({
    code: 'LIMIT_REACHED',
    message:
      'The limit "Ten" allows $10 per window, of all users together; $6 is used, and this operation takes $4.000001.',
  });
  await priced('4000');
  expect(codeOf(await dapp.sponsor(costingAThousandth(3)))).toBe('SPONSORED');
  expect(await usageOf(dapp)).toMatchObject({
    unit: 'usd',
    threshold: `10${'0'.repeat(18)}`,
    used: `10${'0'.repeat(18)}`,
  });
});

test('without a price every operation under a limit in dollars is denied, with what to do', async () => {
  await priced(null);
  const dapp = await desk().dapp();
  await desk().limit(dapp, { name: 'Ten', thresholdType: 'USD', threshold: 10 });
  const { body } = await dapp.sponsor(costingAThousandth(0));
  expect(body.result?.reason).toEqual({
    code: 'PRICE_UNKNOWN',
    rule: 'spendingLimit',
    message:
      'The limit "Ten" is in US dollars, and there is no usable price of the native coin: no price is set for the chain.',
    hint: 'Set one with "gasdesk chain set 31337 --usd AMOUNT", or name a Chainlink feed with "gasdesk chain set 31337 --native-feed ADDRESS".',
  });
  await priced('3000');
  expect(codeOf(await dapp.sponsor(costingAThousandth(1)))).toBe('SPONSORED');
  const nativeFeed = `0x${'fe'.repeat(20)}`;
  await desk().call('chains.set', { chainId: 31337, price: { source: 'chainlink', nativeFeed } });
  const { body: silent } = await dapp.sponsor(costingAThousandth(2));
  expect(silent.result?.reason?.message).toContain('the chain has no RPC URL, so its feed cannot be read');
});

test('a limit of each operation looks at one alone, in dollars and in the coin', async () => {
  await priced('3000');
  const dapp = await desk().dapp();
  await desk().limit(dapp, { name: 'Three dollars', type: 'OPERATION', thresholdType: 'USD', threshold: 3 });
  expect(codesOf(await Promise.all(many(20).map((op) => dapp.sponsor(op))))).toEqual({ SPONSORED: 20 });
  const { body } = await dapp.sponsor(costingAThousandth(20, 1n));
  expect(body.result?.reason).toMatchObject({
    code: 'LIMIT_TOO_SMALL',
    message:
      'The limit "Three dollars" allows $3 for each operation, less than the $3.000001 that this operation may take.',
  });
  expect(await usageOf(dapp)).toBeUndefined();
});

test('usage of a lifetime limit stays, over days, a restart and a pause', async () => {
  const dapp = await desk().dapp();
  const ruleId = await desk().limit(dapp, {
    name: 'First five',
    type: 'SMART_ACCOUNT',
    thresholdType: 'COUNT',
    threshold: 5,
    unit: 'lifetime',
  });
  expect(codesOf(await Promise.all(many(CROWD).map((op) => dapp.sponsor(op))))).toEqual({
    SPONSORED: 5,
    LIMIT_REACHED: CROWD - 5,
  });
  await desk().clock.sleep(3 * DAY);
  await desk().restart();
  const target = { paymasterId: dapp.paymasterId, ruleId };
  await desk().call('rules.deactivate', target);
  await desk().call('rules.activate', target);
  const { body } = await dapp.sponsor(costingAThousandth(5_000));
  expect(body.result?.reason).toMatchObject({
    message:
      'The limit "First five" allows 5 operations per user in total; 5 operations are used, and this operation takes 1 operation.',
    hint: expect.stringContaining('Waiting does not help'),
  });
  expect(codeOf(await dapp.sponsor(costingAThousandth(5_001, 0n, `0x${'b2'.repeat(20)}`)))).toBe('SPONSORED');
  expect(await usageOf(dapp)).toMatchObject({ windowEndsAt: null, used: '5' });
  // A budget that is raised is no second budget, whichever way it is raised.
  const raised = async (): Promise<Record<string, number>> =>
    codesOf(await Promise.all(many(9, 60 + desk().clock.now()).map((op) => dapp.sponsor(op))));
  await desk().call('rules.updateLimit', { ...target, update: { threshold: 6 } });
  expect(await raised()).toEqual({ SPONSORED: 1, LIMIT_REACHED: 8 });
  const policyData = {
    type: 'SMART_ACCOUNT',
    thresholdType: 'COUNT',
    threshold: 8,
    cycleDuration: { unit: 'lifetime' },
  };
  await desk().call('rules.update', { ...target, update: { policyData } });
  expect(await raised()).toEqual({ SPONSORED: 2, LIMIT_REACHED: 7 });
  const { paymasterId } = dapp;
  const { text } = await desk().call<{ text: string }>('policies.export', { paymasterId });
  await desk().call('policies.apply', { paymasterId, text: text.replace(/(?<=threshold: \D?)8/, '9') });
  expect(await raised()).toEqual({ SPONSORED: 1, LIMIT_REACHED: 8 });
  await desk().call('rules.updateLimit', { ...target, update: { cycleDuration: '1 week' } });
  expect(await raised()).toEqual({ SPONSORED: 9 });
});

test('a week is seven days', async () => {
  const dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1, unit: 'week' });
  expect(codeOf(await dapp.sponsor(costingAThousandth(0)))).toBe('SPONSORED');
  await desk().clock.sleep(7 * DAY - 1);
  expect(codeOf(await dapp.sponsor(costingAThousandth(1)))).toBe('LIMIT_REACHED');
  await desk().clock.advance(1);
  expect(codeOf(await dapp.sponsor(costingAThousandth(2)))).toBe('SPONSORED');
});
