import { holdEnds, releaseEnds } from './other-threads.ts';
import crypto from 'node:crypto';
import { expect, it } from 'vitest';
import { settle } from './time.ts';

it('work in other threads ends before time passes, in the order in which it began', async () => {
  holdEnds();
  const ended: string[] = [];
  crypto.scrypt('slow', 'salt', 32, { N: 2 ** 15, maxmem: 2 ** 26 }, () => ended.push('slow'));
  void crypto.subtle.digest('SHA-256', Buffer.from('fast')).then(() => ended.push('fast'));
  await settle();
  expect(ended).toEqual(['slow', 'fast']);
  await releaseEnds();
});
