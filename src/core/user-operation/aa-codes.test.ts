import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { aaCodeIn, aaCodes } from './aa-codes.ts';

const packages = {
  '0.6': '@account-abstraction/contracts',
  '0.7': 'account-abstraction-0.7',
  '0.8': 'account-abstraction-0.8',
};

/** The codes that the contracts of a package can revert with. */
const codesOf = (name: string): string[] => {
  const folder = new URL(`../../../node_modules/${name}/core/`, import.meta.url);
  const sources = readdirSync(folder).filter((file) => file.endsWith('.sol'));
  const text = sources.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
  return [...new Set([...text.matchAll(/"(AA\d\d)/g)].map(([, code = '']) => code))].toSorted();
};

it.each(Object.entries(packages))(
  'every code of EntryPoint %s is explained, and none that it has not',
  (version, name) => {
    const known = Object.entries(aaCodes).filter(([, { versions }]) => versions.some((one) => one === version));
    expect(known.map(([code]) => code).toSorted()).toEqual(codesOf(name));
  },
);

it.each([
  ['AA33 reverted: no', 'AA33'],
  ['execution reverted: FailedOp(0, "AA25 invalid account nonce")', 'AA25'],
  ['AA77', undefined],
  ['BAA33', undefined],
  ['toString', undefined],
])('finds the code in %s', (text, code) => {
  expect(aaCodeIn(text)).toBe(code);
});
