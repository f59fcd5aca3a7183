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
  ['a webhook secret', { note: 'whsec_abc123def456=' }, { note: '[secret]' }],
])('%s is removed', (_what, value, kept) => {
  expect(redacted(value)).toEqual(kept);
});

it('an ordinary request stays the same object, so that it is not copied', () => {
  const request = {
    method: 'eth_chainId',
    id: new JsonNumber('1'),
    params: [{ callData: '0x12', token: '0x34' }, null],
  };
  expect(redacted(request)).toBe(request);
});

it('hex is not searched, whatever it contains', () => {
  expect(redactedText(`0x${'12'.repeat(40)}`)).toBe(`0x${'12'.repeat(40)}`);
});

it('a long text takes time by its length, whatever it repeats', () => {
  for (const part of ['-eyJ', 'eyJa.', 'Bearer ', 'whsec_', 'gd_', '-gd_', 'a1b2c3d4e.00000000-'])
    expect(redactedText(part.repeat(500_000))).not.toBe('');
});
