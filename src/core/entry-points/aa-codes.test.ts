import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { EntryPointVersion } from '../../shared/schema/user-operation.ts';
import { aaCodeIn, allEntryPoints } from './registry.ts';

const packages: Readonly<Record<EntryPointVersion, string>> = {
  '0.6': '@account-abstraction/contracts',
  '0.7': 'account-abstraction-0.7',
  '0.8': 'account-abstraction-0.8',
  '0.9': 'account-abstraction-0.9',
};

/** The codes of the contract on public chains that the build in its package does not have yet. */
const released: Readonly<Partial<Record<EntryPointVersion, readonly string[]>>> = { '0.9': ['AA35'] };

/** The codes that the contracts in a package can revert with. */
const codesOf = (name: string): string[] => {
  const folder = new URL(`../../../node_modules/${name}/core/`, import.meta.url);
  const sources = readdirSync(folder).filter((file) => file.endsWith('.sol'));
  const text = sources.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
  return [...new Set([...text.matchAll(/"(AA\d\d)/g)].map(([, code = '']) => code))].toSorted();
};

it.each(allEntryPoints)('every code of EntryPoint $version is explained, and none that it has not', (entryPoint) => {
  const { version, aaCodes } = entryPoint;
  const codes = [...codesOf(packages[version]), ...(released[version] ?? [])].toSorted();
  expect(Object.keys(aaCodes).toSorted()).toEqual(codes);
});

it.each([
  ['AA33 reverted: no', 'AA33'],
  ['execution reverted: FailedOp(0, "AA25 invalid account nonce")', 'AA25'],
  ['AA77', undefined],
  ['BAA33', undefined],
  ['toString', undefined],
])('finds the code in %s', (text, code) => {
  expect(aaCodeIn(text)).toBe(code);
});
