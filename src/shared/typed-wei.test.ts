import { expect, test } from 'vitest';
import { typedWei } from './typed-wei.ts';

test.each([
  ['1', '1000000000000000000'],
  [' 0.000000000000000001 ', '1'],
  ['1e-3', '1000000000000000'],
  ['0', undefined],
  ['-1', undefined],
  ['0.0000000000000000001', undefined],
  ['1,5', undefined],
  ['', undefined],
])('what is typed as %j is exactly what is sent, or nothing', (text, wei) => {
  expect(typedWei(text)).toBe(wei);
});
