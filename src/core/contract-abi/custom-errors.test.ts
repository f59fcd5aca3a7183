import { Interface } from 'ethers';
import { expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { customErrorWords } from './custom-errors.ts';

const ABI = new Interface([
  'function mint(uint256 amount)',
  'error NotEnough(address owner, uint256 needed, uint256 held)',
  'error Closed()',
  'error Denied((uint256 id, string[] why) item)',
]);
const withAbi = (abi: string) =>
  policyWith({
    contracts: [{ address: `0x${'11'.repeat(20)}`, name: 'Items', abi, whitelistedMethods: ['mint'], active: true }],
  } as never);
const policy = withAbi(ABI.formatJson());
const encode = (name: string, values: unknown[] = []): Hex => ABI.encodeErrorResult(name, values) as Hex;
const owner = `0x${'Ab'.repeat(20)}`.toLowerCase();

test.each<[string, Hex, string]>([
  ['without arguments', encode('Closed'), 'Closed()'],
  ['with numbers', encode('NotEnough', [owner, 2n ** 255n, 3n]), `NotEnough(${owner}, ${2n ** 255n}, 3)`],
  ['with a tuple', encode('Denied', [[7n, ['late', 'early']]]), 'Denied(7,late,early)'],
])('a registered ABI names a custom error %s', (_, data, words) => {
  expect(customErrorWords(policy, data)?.toLowerCase()).toBe(words.toLowerCase());
});

test.each<[string, Hex]>([
  ['that no ABI declares', '0x12345678'],
  ['whose arguments are cut short', encode('NotEnough', [owner, 1n, 2n]).slice(0, 80) as Hex],
  ['whose arguments are missing', encode('NotEnough', [owner, 1n, 2n]).slice(0, 10) as Hex],
])('a custom error %s has no name', (_, data) => {
  expect(customErrorWords(policy, data)).toBeUndefined();
});

test.each([
  ['a type that no contract has', [{ type: 'error', name: 'Closed', inputs: [{ type: 'uint7[' }] }]],
  ['a type without the bits that it may have', [{ type: 'error', name: 'Closed', inputs: [{ type: 'uint7' }] }]],
  ['no name', [{ type: 'error' }]],
])('an ABI whose error has %s is used for its other errors', (_, faulty) => {
  const abi = JSON.stringify([...faulty, ...(JSON.parse(ABI.formatJson()) as object[])]);
  expect(customErrorWords(withAbi(abi), encode('Closed'))).toBe('Closed()');
});
