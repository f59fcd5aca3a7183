import { expect, test } from 'vitest';
import { identiconPaths } from './identicon.ts';

test('an address has one picture, however it is written, and another address has another', () => {
  const [ann, bob] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`];
  expect(identiconPaths(ann, 16)).toEqual(identiconPaths(`0x${'AB'.repeat(20)}`, 16));
  expect(identiconPaths(ann, 16).length).toBeGreaterThan(0);
  expect(identiconPaths(ann, 16)).not.toEqual(identiconPaths(bob, 16));
});
