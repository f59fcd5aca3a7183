import { expect, it } from 'vitest';
import { JsonNumber } from '../../shared/schema/decimal.ts';
import { redacted, redactedText } from './redact.ts';

it.each([
  ['a voucher', { context: { voucher: { subject: 'ann', signature: '0x12' } } }, { context: { voucher: '[secret]' } }],
  ['an ID token', [{ idToken: 'a.b.c' }], [{ idToken: '[secret]' }]],
  ['a member in another spelling', { id_token: 'x', 'API-Key': 'y' }, { id_token: '[secret]', 'API-Key': '[secret]' }],
  [
    'a secret of another service',
    { client_secret: 'a', refreshToken: 'b', mnemonic: 'c' },
    { client_secret: '[secret]', refreshToken: '[secret]', mnemonic: '[secret]' },
  ],
  ['a member that is null', { voucher: null }, { voucher: null }],
  ['a token in an array of texts', ['eyJhbGciOi.eyJzdWIi.c2ln', 'text'], ['[secret]', 'text']],
  ['a key in a sentence', 'use Zm9vYmFyY.6f1e6a35-6d4e-4a9e-9c4e-111111111111!', 'use [secret]!'],
  ['a key after 0x', '0x Zm9vYmFyY.6f1e6a35-6d4e-4a9e-9c4e-111111111111', '0x [secret]'],
  ['a secret that names a member', { [`gd_${'a1'.repeat(12)}`]: { x: 1 }, y: 2 }, { '[secret]': { x: 1 }, y: 2 }],
  [
    'a secret in a URL that is a parameter of another URL',
    `https://x.example/?to=https%3A%2F%2Fy.example%2Fgd_${'a1'.repeat(12)}%3Fz`,
    'https://x.example/?to=https://y.example/[secret]?z',
  ],
  ['a token in the query of a URL', '?authorization=Bearer%20abc.def', '?authorization=[secret]'],
  ['a webhook secret whose end is percent-encoded', '?key=whsec_abc%2Bdef456%3D%3D', '?key=[secret]'],
  ['a secret that is percent-encoded twice', '?to=%252Fgd%255F0123456789012345678901', '?to=/[secret]'],
  ['a key that is wholly percent-encoded', '%5Am9vYmFyY%2E6f1e6a35%2D6d4e-4a9e-9c4e-111111111111', '[secret]'],
  ['a key after what only looks percent-encoded', '%41aaaaaaa.6f1e6a35-6d4e-4a9e-9c4e-111111111111', '%[secret]'],
  ['a webhook secret', { note: 'whsec_abc123def456=' }, { note: '[secret]' }],
])('%s is removed', (_what, value, kept) => {
  expect(redacted(value)).toEqual(kept);
});

it('an ordinary request stays the same object, so that it is not copied', () => {
  const request = {
    method: 'eth_chainId',
    id: new JsonNumber('1'),
    params: [{ callData: '0x12', token: '0x34', url: 'https://x.example/?q=a%20b%2Fc' }, null],
  };
  expect(redacted(request)).toBe(request);
});

it('hex is not searched, whatever it contains', () => {
  expect(redactedText(`0x${'12'.repeat(40)}`)).toBe(`0x${'12'.repeat(40)}`);
});

it('a long text takes time by its length, whatever it repeats', () => {
  for (const part of [
    '-eyJ',
    'eyJa.',
    'Bearer ',
    'whsec_',
    'gd_',
    '-gd_',
    'a1b2c3d4e.00000000-',
    '%25',
    '%67d_',
    '%2D%65yJ',
  ])
    expect(redactedText(part.repeat(500_000))).not.toBe('');
});
