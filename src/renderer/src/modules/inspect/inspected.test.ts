import { expect, it } from 'vitest';
import { shownHex, timeOf } from './inspected.ts';

it.each([
  ['0', undefined],
  ['1893456000', 1_893_456_000_000],
  ['281474976710655', undefined],
])('%s seconds are a time only where a calendar has it', (seconds, time) => {
  expect(timeOf(seconds)).toBe(time);
});

it.each([
  ['0x', ''],
  ['0x1234', '1234'],
  [`0x${'ab'.repeat(8)}`, 'abababab abababab'],
  [`0x${'ab'.repeat(65)}`, `${'abababab '.repeat(6).trim()} … 33 bytes … abababababababab`],
])('%s can be read', (hex, shown) => {
  expect(shownHex(hex)).toBe(shown);
});
