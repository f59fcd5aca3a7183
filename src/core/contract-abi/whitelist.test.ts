import { id } from 'ethers';
import { expect, test } from 'vitest';
import type { Address } from '../../shared/schema/hex.ts';
import { policyWith } from '../../../test/support/facts.ts';
import type { Policy } from '../policy/policy.ts';
import { whitelistOf } from './whitelist.ts';

const method = (name: string, types: string[], stateMutability = 'nonpayable') => ({
  type: 'function',
  name,
  stateMutability,
  inputs: types.map((type) => ({ type })),
  outputs: [],
});
const abi = JSON.stringify([
  method('mint', ['uint256']),
  method('mint', ['uint256', 'address'], 'payable'),
  method('burn', ['uint256']),
  method('owner', [], 'view'),
]);
const ADDRESS: Address = '0xA0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

const policy = (whitelistedMethods: string[], active = true): Policy =>
  policyWith({
    contracts: [{ ruleId: 'r', name: 'Items', address: ADDRESS, abi, methods: [], whitelistedMethods, active }],
  });
const sponsored = (whitelistedMethods: string[]): string[] => [
  ...(whitelistOf(policy(whitelistedMethods)).get(ADDRESS.toLowerCase() as Address)?.selectors ?? []),
];
const selectors = (...signatures: string[]): string[] => signatures.map((signature) => id(signature).slice(0, 10));

test.each<[string[], string[]]>([
  [[], []],
  [['mint'], ['mint(uint256)', 'mint(uint256,address)']],
  [['mint(uint256)'], ['mint(uint256)']],
  [
    ['mint(uint256)', 'mint'],
    ['mint(uint256)', 'mint(uint256,address)'],
  ],
  [
    ['burn', 'mint(uint256,address)'],
    ['mint(uint256,address)', 'burn(uint256)'],
  ],
])('whitelisting %j sponsors %j and nothing else', (entries, signatures) => {
  expect(sponsored(entries)).toEqual(selectors(...signatures));
});

test('a contract is found whatever the letter case of its address, paused or not, and its methods by their signature', () => {
  const contract = whitelistOf(policy(['burn'], false)).get(ADDRESS.toLowerCase() as Address);
  expect(contract).toMatchObject({ name: 'Items', active: false });
  expect([...contract!.signatures.values()]).toEqual(['mint(uint256)', 'mint(uint256,address)', 'burn(uint256)']);
});

test('a policy is compiled once, and a changed policy again', () => {
  const before = policy(['burn']);
  expect(whitelistOf(before)).toBe(whitelistOf(before));
  expect(whitelistOf({ ...before, contracts: [] }).size).toBe(0);
});
