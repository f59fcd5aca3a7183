import { describe, expect, test } from 'vitest';
import { entryPointVersion } from '../../shared/schema/user-operation.ts';
import { conditionError } from './condition.ts';
import { completionsAfter } from './completions.ts';
import type { KnownContract } from './known-methods.ts';

const abi = JSON.stringify([
  {
    type: 'function',
    name: 'mint',
    stateMutability: 'nonpayable',
    inputs: [
      { type: 'address', name: 'to' },
      { type: 'uint256', name: 'amount' },
      { type: 'uint256', name: 'in' },
      { type: 'bytes', name: '' },
    ],
  },
  { type: 'function', name: 'burn', stateMutability: 'nonpayable', inputs: [{ type: 'uint256', name: 'burnt' }] },
]);
const hostileName = `<b>"it's"`;
const contracts: KnownContract[] = [
  { name: 'Items', address: `0x${'Ab'.repeat(20)}`, abi, whitelistedMethods: ['mint'] },
  { name: hostileName, address: `0x${'17'.repeat(20)}`, abi, whitelistedMethods: [] },
];

const labels = (before: string): string[] => completionsAfter(before, contracts).options.map(({ label }) => label);
const textOf = (before: string, label: string): string | undefined =>
  completionsAfter(before, contracts).options.find((option) => option.label === label)?.text;

describe('what can be typed next:', () => {
  test.each([
    ['', ['op', 'calls', 'context', 'dapp', 'subject', 'time', 'size', 'has', 'wei', 'timestamp', 'true']],
    ['op.dep', ['sender', 'deploys', 'maxCostWei', 'maxFeePerGas']],
    ['!op.', ['entryPoint']],
    ['dapp.', ['paymasterId', 'name', 'chainId']],
    ['context.', ['policyId', 'sponsorshipPolicyId', 'webhookData']],
    ['calls.', ['all', 'exists', 'exists_one', 'map', 'filter', 'size']],
    ['calls[0].', ['target', 'contract', 'method', 'signature', 'value', 'args']],
    ['calls.all(c, c.', ['target', 'contract', 'method', 'args']],
    ['calls.all(c, c.contract == "a)b" && c.args.', ['to', 'amount']],
    ['calls.all(c, context.tags.exists(t, t == c.', ['target', 'method']],
    ['calls.filter(c, c.value == 0).', []],
    ['time.', ['getDayOfWeek', 'getHours']],
    ['op.sender.', ['startsWith', 'endsWith', 'contains', 'size']],
    ['context.tier.', ['startsWith', 'all', 'size']],
    ['calls.all(c, c.contract == "It', ['Items', hostileName]],
    ['calls.all(c, c.method in ["burn", "', ['mint']],
    ['calls.all(c, c.signature == ', ['mint(address,uint256,uint256,bytes)', 'c', 'op']],
    ["op.entryPoint == '", entryPointVersion.options],
    ['calls[0].target == "0x', [`0x${'ab'.repeat(20)}`]],
  ])('%s', (before, expected) => {
    expect(labels(before)).toEqual(expect.arrayContaining(expected));
  });
});

describe('what cannot be typed next is not listed:', () => {
  test.each([
    ['', ['c', 'google', 'cel', 'optional', 'type', 'dyn', 'string.', 'matches']],
    ['op.sender.', ['matches', 'split', 'all', 'getHours']],
    ['time.', ['getDayOfYear', 'startsWith']],
    ['calls.all(c, true) && ', ['c']],
    ['calls[0].args.', ['burnt', 'in', '']],
    ['calls.', ['join', 'target']],
    ['op.nonce.', ['size', 'startsWith']],
    ['"op.', ['sender', 'op']],
  ])('%s', (before, refused) => {
    expect(labels(before).filter((label) => refused.includes(label))).toEqual([]);
  });
});

test('it replaces the word that is being typed', () => {
  expect(completionsAfter('!op.dep', contracts).from).toBe(4);
  expect(completionsAfter('calls.all(c, c.method == "mi', contracts).from).toBe(26);
});

test.each([
  ['op.', true],
  ['calls[0].method == "', true],
  ['calls[0].method == ""', false],
  ['calls[0].method == ', false],
  ['', false],
])('after %s a name is expected: %s', (before, isExpected) => {
  expect(completionsAfter(before, contracts).isExpected).toBe(isExpected);
});

test('what is written can be read: loops with a variable that is free, names with their quotes', () => {
  expect(textOf('calls.', 'all')).toBe('all(c, ');
  expect(textOf('calls.all(c, context.tags.', 'exists')).toBe('exists(d, ');
  expect(textOf('time.', 'getHours')).toBe('getHours()');
  expect(textOf('calls[0].method == ', 'mint')).toBe('"mint"');
  for (const quote of ['"', "'"]) {
    const lead = `calls[0].contract == ${quote}`;
    expect(conditionError(`${lead}${textOf(lead, hostileName) ?? ''}${quote}`)).toBeUndefined();
  }
});

test('text of any kind is no error', () => {
  for (const text of ['"', "'\\", '.', ')', '((((', 'a.b.c.', '"\\"', '[[].', 'calls.all(,', '\u0000.']) {
    expect(() => completionsAfter(text, contracts)).not.toThrow();
  }
});
