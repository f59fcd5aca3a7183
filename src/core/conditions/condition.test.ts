import { describe, expect, test } from 'vitest';
import { encodeExecute } from '../../../test/support/account-call-data.ts';
import { type Situation, inputsOf, together } from '../../../test/support/situation.ts';
import { ITEMS, NOW, call, items } from '../../../test/support/situations.ts';
import { ruleInput } from '../decision/rule-input.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { conditionError, readCondition } from './condition.ts';

const minting = together(
  { policy: { contracts: [items()] } },
  { op: { callData: encodeExecute(ITEMS, 0n, call('mint')) } },
  { facts: { context: { policyId: 'summer', webhookData: { tier: 'gold', level: 3, ratio: 0.5 } } } },
);

const answer = (text: string, situation = minting) => {
  const [facts, policy] = inputsOf(situation);
  return readCondition(text).evaluate(ruleInput(facts, policy).values());
};

describe('a condition that holds:', () => {
  test.each([
    'calls.all(c, c.contract == "Items" && c.method == "mint")',
    'calls[0].args[0] == 1',
    'calls.exists(c, c.signature == "mint(uint256)" && c.value == 0)',
    'calls[0].target == "0x' + ITEMS.slice(2).toUpperCase() + '"',
    'size(calls) == 1',
    'context.policyId == "summer"',
    'context.tier == "gold" && context.webhookData.level >= 3 && context.ratio < 1.0',
    '!has(context.sponsorshipPolicyId)',
    'op.maxCostWei < 115792089237316195423570985008687907853269984665640564039457584007913129639935',
    'op.maxCostWei > 0 && op.maxCostWei < wei("1000.5")',
    '!op.deploys && op.entryPoint == "0.6"',
    'op.paymasterPostOpGasLimit == 0',
    `time == timestamp("${new Date(NOW).toISOString()}")`,
    'time.getDayOfWeek() >= 0',
    'dapp.chainId == 31337',
    '"tier" in context',
  ])('%s', (text) => {
    expect(conditionError(text)).toBeUndefined();
    expect(answer(text)).toEqual({ holds: true });
  });
});

describe('what an operation may cost in US dollars', () => {
  const asked = (text: string, facts: Situation['facts'] = {}) => {
    const [given, policy] = inputsOf(together(minting, { facts }));
    return readCondition(text).evaluate(ruleInput(given, policy).values());
  };
  const priced = { price: { usd: '3000', source: 'static' as const } };

  test.each(['op.maxCostUsd > 0.0 && op.maxCostUsd < 1000000.0', 'op.maxCostUsd < 1000000', 'op.maxCostUsd > 0'])(
    'is compared: %s',
    (text) => {
      expect(conditionError(text)).toBeUndefined();
      expect(asked(text, priced)).toEqual({ holds: true });
    },
  );

  test.each([
    ['1000', 'op.maxCostUsd == 0.312', true],
    ['1000', 'op.maxCostUsd <= 0.312', true],
    ['1000.000000000000000001', 'op.maxCostUsd <= 0.312', false],
    ['1000.000000000000000001', 'op.maxCostUsd == 0.312001', true],
    ['10000000', 'op.maxCostUsd == 3120.0', true],
  ])('at %s dollars for a coin, %s: %s', (usd, text, holds) => {
    expect(asked(text, { price: { usd, source: 'static' } })).toEqual({ holds });
  });

  test('is not there without a price, and a condition that asks for it fails', () => {
    expect(asked('op.maxCostUsd < 1.0')).toEqual({ failure: expect.stringContaining('maxCostUsd') });
    expect(asked('op.maxCostUsd < 1.0', { price: { usd: null, error: 'it is silent' } })).toMatchObject({
      failure: expect.stringContaining('maxCostUsd'),
    });
  });
});

test('a policy id is the one that was named, whatever webhookData calls one', () => {
  const facts = { context: { policyId: 'summer', webhookData: { policyId: 'winter', webhookData: 'none' } } };
  expect(answer('context.policyId == "summer" && context.webhookData.policyId == "winter"', { facts })).toEqual({
    holds: true,
  });
});

test('256-bit integers compare exactly', () => {
  const most = 2n ** 256n - 1n;
  const situation = together(minting, { facts: { context: { a: String(most) } } });
  const [facts, policy] = inputsOf(situation);
  const values = { ...ruleInput(facts, policy).values(), context: new Map([['a', most]]) };
  expect(readCondition(`context.a == ${most}`).evaluate(values)).toEqual({ holds: true });
  expect(readCondition(`context.a > ${most - 1n}`).evaluate(values)).toEqual({ holds: true });
  expect(readCondition(`context.a > ${most}`).evaluate(values)).toEqual({ holds: false });
});

describe('a text that is no condition is refused when it is written:', () => {
  test.each([
    ['', 'Unexpected token'],
    ['op.nothing == 1', 'No such key: nothing'],
    ['nothing == 1', 'Unknown variable: nothing'],
    ['op.maxCostWei > "a"', 'no such overload: int > string'],
    ['op.maxCostWei', 'must be true or false, not int'],
    ['1 +', 'Unexpected token'],
    ['op.sender.matches("(a+)+$")', 'matches() is not available'],
    ['op.callData.split("").all(a, true)', 'split() is not available'],
    ['time.getHours("Europe/Berlin") > 8', 'times are in UTC'],
    ['time.getDayOfYear() > 8', 'getDayOfYear() is not available'],
    ['time < timestamp("2025-06-15T12:30:00")', 'timestamp() takes a text such as'],
    ['["a"].join() == "a"', 'join() is not available'],
    ['cel.bind(a, "x", a + a == "xx")', 'cel.bind() is not available'],
    ['calls.all(a, calls.all(b, calls.all(c, true)))', 'nested more than twice'],
    ['('.repeat(500) + 'true' + ')'.repeat(500), ''],
    [Array.from({ length: 500 }, () => 'true').join(' && '), ''],
    [`[${'1,'.repeat(500)}1].all(x, true)`, ''],
    ['"\\ud800" == ""', 'surrogate'],
    ['constructor == 1', 'Unknown variable'],
    ['__proto__ == 1', 'Reserved identifier'],
    ['op.__proto__ == 1', 'No such key'],
    ['op.constructor == 1', 'No such key'],
    ['time.hour == 1', 'Times and durations have no fields'],
    ['[time].exists(one, time["hour"] == 1)', 'Times and durations have no fields'],
    ['(time - time).hours == 1', 'Times and durations have no fields'],
  ])('%s', (text, words) => {
    expect(conditionError(text)?.message).toContain(words);
  });
});

test.each([
  ['calls.all(c, c.args.amount <= 2', 'A closing parenthesis is missing'],
  ['op.sender in ["a", "b"', 'A closing bracket is missing'],
  ['{"a": 1', 'A closing brace is missing'],
  ['op.deploys ? true', 'A colon is missing'],
  ['op.', 'A name is missing'],
  ['(op.deploys]', 'Expected a closing parenthesis, got a closing bracket'],
  ['(op.deploys 1)', 'Expected a closing parenthesis, got NUMBER'],
  ['1 +', 'Unexpected token: the end of the condition'],
])('an error names in words what the parser names by its tokens: %s', (text, message) => {
  expect(conditionError(text)?.message).toBe(message);
});

test('the failure of a stored condition that is no longer valid keeps the words of the parser', () => {
  expect(readCondition('op.sender in ["a"').evaluate({})).toEqual({
    failure: 'its expression is not valid: Expected RBRACKET, got EOF',
  });
});

test.each([
  ['op.nothing == 1', 3, 10],
  ['op.deploys && op.sender.matches("a")', 14, 36],
  ['op.maxCostWei', 0, 13],
  ['1 +', 3, 3],
])('an error says from where to where it is: %s', (text, at, end) => {
  expect(conditionError(text)).toMatchObject({ at, end });
});

describe('what cannot be evaluated fails, and says why:', () => {
  test.each([
    ['context.nothing == 1', 'No such key: nothing'],
    ['context.constructor == 1', 'No such key: constructor'],
    ['context.__proto__ == 1', 'No such key: __proto__'],
    ['calls[7].value == 0', 'index out of bounds'],
    ['calls[0].args.amount == 1', 'No such key: amount'],
    ['context.policyId > 5', 'no such overload'],
    ['context.policyId', 'neither true nor false'],
    ['op.maxCostWei * 1000000000000000000 > 0', 'integer overflow'],
    ['op.nonce / 0 == 1', 'division by zero'],
  ])('%s', (text, words) => {
    expect(answer(text)).toEqual({ failure: expect.stringContaining(words) as string });
  });

  test('calls that cannot be decoded are not taken for none', () => {
    const unreadable = together(minting, { op: { callData: '0xdeadbeef' } });
    const failure = 'the calls of the operation cannot be decoded';
    expect(answer('calls.all(c, c.contract == "Items")', unreadable)).toEqual({ failure });
    expect(answer('context.policyId == "summer"', unreadable)).toEqual({ holds: true });
  });

  test('loops over what is too long', () => {
    const long = { context: { list: Array.from({ length: 2_000 }, (_, index) => index) } };
    const failure = 'it takes too many steps for an operation of this size';
    const nested = 'context.list.all(a, context.list.all(b, a + b >= 0))';
    expect(answer(nested, { facts: long })).toEqual({ failure });
    expect(answer('context.list.all(a, a >= 0)', { facts: long })).toEqual({ holds: true });
    const few = { context: { list: Array.from({ length: 20 }, () => 1) } };
    const sum = Array.from({ length: 25 }, () => 'context.list').join(' + ');
    expect(answer(`(${sum}).all(a, (${sum}).all(b, a == b))`, { facts: few })).toEqual({ failure });
    expect(answer('(context.list + context.list).all(a, a == 1)', { facts: few })).toEqual({ holds: true });
  });
});

test('what looks through a list counts as a loop', () => {
  const list = Array.from({ length: 5_000 }, () => 1.5);
  const facts = { context: { a: list, b: list } };
  const failure = 'it takes too many steps for an operation of this size';
  expect(answer('context.a.all(x, x in context.b)', { facts })).toEqual({ failure });
  expect(answer('context.a.exists(x, context.a == context.b)', { facts })).toEqual({ failure });
  expect(answer('1.5 in context.b', { facts })).toEqual({ holds: true });
});

test('arguments that are the same bytes many times over are not decoded', () => {
  const word = (value: number): string => value.toString(16).padStart(64, '0');
  const blob = word(320) + 'ab'.repeat(320);
  const shared = (items: number): Hex => {
    const offsets = Array.from({ length: items }, () => word(32 * items)).join('');
    return `0xac9650d8${word(32)}${word(items)}${offsets}${blob}`;
  };
  const bytesList = [{ type: 'bytes[]', name: 'data' }];
  const multicall = { type: 'function', name: 'multicall', stateMutability: 'nonpayable', inputs: bytesList };
  const asking = (data: Hex) =>
    answer(
      'size(calls[0].args.data) > 0',
      together(
        { policy: { contracts: [items({ abi: JSON.stringify([multicall]) })] } },
        { op: { callData: encodeExecute(ITEMS, 0n, data) } },
      ),
    );
  expect(asking(shared(1))).toEqual({ holds: true });
  expect(asking(shared(40))).toEqual({ failure: 'No such key: data' });
});

test('an address that a client sent is compared in lower case', () => {
  const facts = { context: { who: ITEMS.toUpperCase().replace('0X', '0x') } };
  expect(answer(`context.who == "${ITEMS.toUpperCase().replace('0X', '0x')}"`, { facts })).toEqual({ holds: true });
});

test('what a failure quotes of a client is cut', () => {
  const facts = { context: { k: 'x'.repeat(100_000), m: {} } };
  const said = answer('context.m[context.k] == 1', { facts });
  expect('failure' in said && said.failure.length).toBeLessThanOrEqual(200);
});

test('what a condition met is named, without what its loops run over', () => {
  const [facts, policy] = inputsOf(minting);
  const { met } = readCondition('context.level > 5 && calls.all(c, c.value == 0) && op.sender != ""');
  expect(met(ruleInput(facts, policy).values())).toMatchObject([
    { text: 'context.level', value: '3' },
    { text: 'op.sender' },
  ]);
});
