import { describe, expect, test } from 'vitest';
import { conditionError } from '../../../../core/conditions/condition.ts';
import { knownMethods } from '../../../../core/conditions/known-methods.ts';
import {
  type CommonInput,
  argumentsFor,
  bothConditions,
  commonExpression,
  commonInput,
  methodKey,
} from './common-condition.ts';

const inputs = [
  { type: 'uint256', name: 'amount' },
  { type: 'address', name: 'to' },
  { type: 'string', name: 'in' },
  { type: 'bytes4', name: '' },
  { type: 'uint8[]', name: 'many' },
];
const abi = JSON.stringify([{ type: 'function', name: 'mint', stateMutability: 'nonpayable', inputs }]);
const methods = knownMethods([{ name: 'My "Items"', address: '0x', abi, whitelistedMethods: ['mint'] }]);
const [mint] = methods;
if (mint === undefined) throw new Error('mint is whitelisted');
const SIGNATURE = 'mint(uint256,address,string,bytes4,uint8[])';
const OTHERS = String.raw`c.contract != "My \"Items\"" || c.signature != "${SIGNATURE}"`;
const MAX_UINT256 = String(2n ** 256n - 1n);
const [TO, FROM] = [`0x${'Ab'.repeat(20)}`, `0x${'17'.repeat(20)}`];

const written = (changes: Partial<CommonInput>): string | undefined =>
  commonExpression({ ...commonInput(), method: methodKey(mint), argument: 0, ...changes }, methods);

describe('a form writes', () => {
  test.each<[string, Partial<CommonInput>, string]>([
    ['an argument at most', { amount: ' 12 ' }, `calls.all(c, ${OTHERS} || c.args.amount <= 12)`],
    ['the most of 256 bits', { amount: MAX_UINT256 }, `calls.all(c, ${OTHERS} || c.args.amount <= ${MAX_UINT256})`],
    ['numbers', { kind: 'inList', list: '1, 2\n3' }, `calls.all(c, ${OTHERS} || c.args.amount in [1, 2, 3])`],
    [
      'addresses',
      { kind: 'inList', argument: 1, list: `${TO} ${FROM}` },
      `calls.all(c, ${OTHERS} || c.args.to in ["${TO.toLowerCase()}", "${FROM}"])`,
    ],
    [
      'text of a name that is a word of the language',
      { kind: 'inList', argument: 2, list: 'a "b"\nc, d' },
      String.raw`calls.all(c, ${OTHERS} || c.args["in"] in ["a \"b\"", "c, d"])`,
    ],
    [
      'bytes without a name',
      { kind: 'inList', argument: 3, list: '0xABCD' },
      `calls.all(c, ${OTHERS} || c.args[3] in ["0xabcd"])`,
    ],
    ['a gas price', { kind: 'gasPrice', amount: '1.5' }, 'op.maxFeePerGas <= 1500000000'],
    ['a cost', { kind: 'cost', amount: '0.0010' }, 'op.maxCostWei <= wei("0.001")'],
    ['weekdays', { kind: 'days' }, 'time.getDayOfWeek() in [1, 2, 3, 4, 5]'],
    ['days in their order', { kind: 'days', days: [6, 0] }, 'time.getDayOfWeek() in [0, 6]'],
    [
      'a policy id',
      { kind: 'policyId', policyId: ' "x" ' },
      String.raw`has(context.policyId) && context.policyId == "\"x\""`,
    ],
    [
      'a policy id of ERC-7677',
      { kind: 'policyId', policyName: 'sponsorshipPolicyId', policyId: 'sp_a' },
      'has(context.sponsorshipPolicyId) && context.sponsorshipPolicyId == "sp_a"',
    ],
  ])('%s', (_what, changes, expression) => {
    expect(written(changes)).toBe(expression);
    expect(conditionError(expression)).toBeUndefined();
  });
});

describe('it writes nothing', () => {
  test.each<[string, Partial<CommonInput>]>([
    ['without a method', { method: null, amount: '1' }],
    ['of a method that is gone', { method: '["x","y()"]', amount: '1' }],
    ['without an argument', { argument: null, amount: '1' }],
    ['of an argument that is no number', { argument: 1, amount: '1' }],
    ['without an amount', {}],
    ['with what is no number', { amount: '1e3' }],
    ['with an empty list', { kind: 'inList', list: ' , ' }],
    ['with a list of which an item is no address', { kind: 'inList', argument: 1, list: `${TO}, 0x12` }],
    ['with a gas price finer than wei', { kind: 'gasPrice', amount: '0.0000000001' }],
    ['with a negative cost', { kind: 'cost', amount: '-1' }],
    ['with two points', { kind: 'cost', amount: '1.2.3' }],
    ['with no day', { kind: 'days', days: [] }],
    ['with no policy id', { kind: 'policyId', policyId: ' ' }],
  ])('%s', (_what, changes) => {
    expect(written(changes)).toBeUndefined();
  });
});

test('arguments are offered that a value can be compared with', () => {
  expect(argumentsFor('atMost', mint).map(({ name }) => name)).toEqual(['amount']);
  expect(argumentsFor('inList', mint).map(({ name }) => name)).toEqual(['amount', 'to', 'in', 'argument 4']);
});

test('a second condition is added to the first', () => {
  expect(bothConditions(' ', 'op.deploys')).toBe('op.deploys');
  expect(bothConditions('op.deploys', 'true')).toBe('op.deploys\n&& true');
  expect(bothConditions('op.deploys || true', 'true ? true : false')).toBe(
    '(op.deploys || true)\n&& (true ? true : false)',
  );
});

test.each([
  'op.nonce == 1 // only first',
  'op.nonce == 1 || op.nonce == 2 // the first two',
  '"//" == "" ? true : false',
])('a comment leaves nothing out of what is added: %s', (one) => {
  const both = bothConditions(one, 'op.nothing');
  expect(conditionError(both)?.message).toBe('No such key: nothing');
  expect(conditionError(bothConditions(both, 'true'))?.message).toBe('No such key: nothing');
  expect(conditionError(bothConditions(one, 'op.deploys || true // or not'))).toBeUndefined();
});
