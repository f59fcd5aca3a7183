import { expect, test } from 'vitest';
import { bytesText } from './bytes.ts';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [192_214, '192 kB'],
  [1_355_079_680, '1.36 GB'],
])('a file of %s bytes is shown as %s', (bytes, shown) => {
  expect(bytesText(bytes)).toBe(shown);
});
