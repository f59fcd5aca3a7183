import { expect, test } from 'vitest';
import { thousandths } from './costs.ts';

test('a share is rounded to the nearest thousandth, so that a small part is not taken for none', () => {
  const parts = ['172317', '441585', '7337', '536'];
  expect(parts.map((part) => thousandths(part, '621775'))).toEqual([277, 710, 12, 1]);
  expect(thousandths('1', '0')).toBe(0);
  expect(thousandths('-5', '10')).toBe(0);
});
