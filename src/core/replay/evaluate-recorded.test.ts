import { describe, expect, test } from 'vitest';
import { encodeExecute } from '../../../test/support/account-call-data.ts';
import { decidedLine } from '../../../test/support/decided-record.ts';
import { type Situation, inputsOf, together } from '../../../test/support/situation.ts';
import { ITEMS, call, items } from '../../../test/support/situations.ts';
import { evaluateRecorded } from './evaluate-recorded.ts';

const abi = JSON.stringify([
  {
    type: 'function',
    name: 'mint',
    stateMutability: 'nonpayable',
    outputs: [],
    inputs: [{ type: 'uint256', name: 'amount' }],
  },
]);
const minting: Situation = together(
  { policy: { contracts: [items({ abi })] } },
  { op: { callData: encodeExecute(ITEMS, 0n, call('mint')) } },
  { facts: { context: { webhookData: { tier: 'gold', tags: ['a', 'b', 'c', 'd', 'e', 'f'] } } } },
);

const evaluated = (expression: string, situation = minting) => {
  const [facts, policy, held] = inputsOf(situation);
  return evaluateRecorded(expression, decidedLine(facts, policy, held), policy);
};
/** The readings as `text is value`. */
const read = (expression: string, situation = minting) =>
  evaluated(expression, situation).readings.map(({ text, value }) => `${text} is ${value ?? 'not there'}`);

test('an expression is true or false for an operation that was decided', () => {
  expect(evaluated('calls[0].args.amount <= 12')).toEqual({
    answer: 'true',
    failure: null,
    readings: [{ text: 'calls[0].args.amount', value: '1' }],
  });
  expect(evaluated('calls[0].args.amount > 12').answer).toBe('false');
});

describe('it shows what the expression reads:', () => {
  test.each([
    ['calls.all(c, c.args.amount <= 10)', ['calls[0].args.amount is 1']],
    ['calls.exists(c, c.method == "mint" && c.args[0] > 2)', ['calls[0].method is "mint"', 'calls[0].args[0] is 1']],
    [
      'context.tags.exists(t, t == context.tier)',
      ['context.tags[0] is "a"', 'context.tier is "gold"', 'context.tags[1] is "b"', 'context.tags[2] is "c"'].concat(
        'context.tags[3] is "d"',
      ),
    ],
    [
      'calls.all(c, context.tags.exists(t, t == c.method))',
      [0, 1, 2, 3].flatMap((at) => [
        `context.tags[${at}] is "${'abcd'.charAt(at)}"`,
        ...(at === 0 ? ['calls[0].method is "mint"'] : []),
      ]),
    ],
    ['has(context.policyId) && context.policyId == "summer"', ['context.policyId is not there']],
    ['size(calls) == 1 && time.getDayOfWeek() in [1, 2]', ['size(calls) is 1', 'time.getDayOfWeek() is 0']],
    ['time < timestamp("2020-01-01T00:00:00Z")', ['time is 2026-11-22T12:00:00.000Z']],
    ['context.tags != []', ['context.tags is a list of 6']],
    ['calls.filter(c, c.method == "mint").all(d, d.value == 0)', ['calls[0].method is "mint"']],
    ['true', []],
  ])('%s', (expression, readings) => {
    expect(read(expression)).toEqual(readings);
  });
});

test('an expression that cannot be evaluated says why, and what it met', () => {
  expect(evaluated('context.level > 5')).toEqual({
    answer: 'failed',
    failure: 'No such key: level',
    readings: [{ text: 'context.level', value: null }],
  });
  const unreadable = together(minting, { op: { callData: '0xdeadbeef' } });
  expect(evaluated('calls.all(c, c.method == "mint")', unreadable)).toEqual({
    answer: 'failed',
    failure: 'the calls of the operation cannot be decoded',
    readings: [],
  });
});

test('a long value is cut off, only some of many are listed, and steps are limited as for an operation', () => {
  const tier = '\u202e<b>'.repeat(100_000);
  const level = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, index]));
  const hostile = together(minting, { facts: { context: { webhookData: { tier, level } } } });
  const [reading] = evaluated('context.tier == "gold"', hostile).readings;
  expect(reading?.value?.length).toBeLessThan(100);
  const sum = Array.from({ length: 40 }, (_, index) => `context.level.k${index}`).join(' + ');
  expect(read(`${sum} > 0`, hostile)).toHaveLength(12);
  expect(evaluated('context.tier.contains(context.tier + "a")', hostile).answer).toBe('false');
  const list = Array.from({ length: 2_000 }, (_, index) => index);
  const long = together(minting, { facts: { context: { webhookData: { list } } } });
  expect(evaluated('context.list.all(a, context.list.all(b, a + b >= 0))', long).failure).toBe(
    'it takes too many steps for an operation of this size',
  );
});

test('a record that lacks its facts is reported as such', () => {
  const [facts, policy, held] = inputsOf(minting);
  const { facts: _facts, ...record } = decidedLine(facts, policy, held);
  expect(evaluateRecorded('true', record, policy)).toEqual({ answer: 'notReplayable', failure: null, readings: [] });
});
