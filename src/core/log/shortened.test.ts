import { expect, test } from 'vitest';
import { shortened } from './shortened.ts';

test.each<[unknown, string]>([
  ['denied', 'denied'],
  [{ mode: 'SPONSORED' }, '{"mode":"SPONSORED"}'],
  [null, 'null'],
  // A required field that is missing in a record.
  [undefined, 'nothing'],
  ['x'.repeat(81), `${'x'.repeat(79)}…`],
])('%s is shown as %s', (value, shown) => {
  expect(shortened(value)).toBe(shown);
});
