import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alteredFields, fieldSums } from './field-sums.ts';

test('a value that was altered, added or removed is named by its path, and no other', () => {
  const sums = fieldSums({ body: { sender: '0x1', steps: ['a', 'b'], empty: [] }, at: 5 });
  const changed = { body: { sender: '0x2', steps: ['a'], empty: [], more: null }, at: 5 };
  expect(alteredFields(sums, changed).sort()).toEqual(['body.more', 'body.sender', 'body.steps[1]']);
});

test('a long list counts as one value, so that a hundred thousand accounts cost one checksum', () => {
  const accounts = Array.from({ length: 100_000 }, (_, index) => `0x${index}`);
  const sums = fieldSums({ policy: { accounts } });
  expect(Object.keys(sums)).toEqual(['policy.accounts']);
  expect(alteredFields(sums, { policy: { accounts: accounts.with(7, '0xother') } })).toEqual(['policy.accounts']);
});

test('no document differs from itself after it was written as JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const document = { value };
      expect(alteredFields(fieldSums(document), JSON.parse(JSON.stringify(document)))).toEqual([]);
    }),
  );
});
