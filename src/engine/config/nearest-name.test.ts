import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const names = ['host', 'port', 'logLevel', 'rateLimitPerKey', 'rateLimitPerIp'];

test.each([
  ['a letter too many', 'portt', 'port'],
  ['a letter too few', 'prt', 'port'],
  ['two letters the wrong way round', 'prot', 'port'],
  ['other capitals', 'ratelimitperkey', 'rateLimitPerKey'],
  ['another style', 'log-level', 'logLevel'],
  ['the nearest of similar ones', 'rateLimitPerIP4', 'rateLimitPerIp'],
  ['another word', 'passphrase', undefined],
  ['a short word of other letters', 'ab', undefined],
  ['nothing', '', undefined],
  ['a megabyte', 'port'.repeat(262_144), undefined],
])('%s', (_what, typed, meant) => {
  expect(nearestName(typed, names)).toBe(meant);
});
