import { expect, test } from 'vitest';
import { windowOf } from './terms.ts';

test('a signature holds the tank for no longer than was asked, also when it is made late in a second', () => {
  const at = Date.UTC(2026, 0, 1);
  const window = { validAfter: at / 1000 - 60, validUntil: at / 1000 + 300 };
  expect(windowOf(at, 300, {})).toEqual(window);
  expect(windowOf(at + 999, 300, {})).toEqual(window);
});
