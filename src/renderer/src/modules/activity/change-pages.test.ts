import { expect, test } from 'vitest';
import { joined } from './change-pages.ts';

const entries = (...positions: number[]) => positions.map((entry) => ({ entry }));

test('the newest entries go before those that are shown, each once', () => {
  expect(joined(entries(9, 7), [])).toEqual(entries(9, 7));
  expect(joined(entries(9, 7), entries(7, 5, 2))).toEqual(entries(9, 7, 5, 2));
  expect(joined(entries(9, 7), entries(9, 7, 5))).toEqual(entries(9, 7, 5));
  expect(joined([], [])).toEqual([]);
});

test('where entries may lie between, only the newest are shown', () => {
  expect(joined(entries(9, 7), entries(5, 2))).toEqual(entries(9, 7));
});
