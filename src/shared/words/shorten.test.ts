import { expect, test } from 'vitest';
import { shorten } from './shorten.ts';

test('an address keeps both its ends', () => {
  expect(shorten('0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789')).toBe('0x5FF1…2789');
});

test('what would not get shorter stays whole', () => {
  expect(shorten('0x123456789')).toBe('0x123456789');
});
