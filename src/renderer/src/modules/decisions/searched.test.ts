import { expect, test } from 'vitest';
import { searchedOf } from './searched.ts';

test.each([
  ['sender', `0x${'aB'.repeat(20)}`],
  ['hash', ` 0x${'ab'.repeat(32)} `],
  ['decision', '01989c5a-7c1e-7a3b-8f00-0123456789ab'],
  ['text', `0x${'ab'.repeat(31)}`],
  ['text', 'mint'],
  ['nothing', ''],
])('what is pasted is taken for a %s by its form: %j', (kind, typed) => {
  expect(searchedOf(typed).kind).toBe(kind);
});
