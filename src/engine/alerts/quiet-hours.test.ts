import { expect, test } from 'vitest';
import { isQuiet } from './quiet-hours.ts';

test.each([
  ['22:00', '07:00', 'UTC', '2026-11-26T21:59:59Z', false],
  ['22:00', '07:00', 'UTC', '2026-11-26T22:00:00Z', true],
  ['22:00', '07:00', 'UTC', '2026-11-27T00:00:00Z', true],
  ['22:00', '07:00', 'UTC', '2026-11-27T06:59:59Z', true],
  ['22:00', '07:00', 'UTC', '2026-11-27T07:00:00Z', false],
  ['12:00', '13:30', 'UTC', '2026-11-27T12:30:00Z', true],
  ['12:00', '13:30', 'UTC', '2026-11-27T13:30:00Z', false],
  ['22:00', '07:00', 'Europe/Berlin', '2026-11-26T21:00:00Z', true],
  ['22:00', '07:00', 'Europe/Berlin', '2026-07-01T20:30:00Z', true],
  ['22:00', '07:00', 'Asia/Kolkata', '2026-11-26T16:29:00Z', false],
])('people sleep from %s to %s in %s: at %s, alerts wait: %s', (from, to, zone, at, quiet) => {
  expect(isQuiet({ from, to, zone }, Date.parse(at))).toBe(quiet);
});
