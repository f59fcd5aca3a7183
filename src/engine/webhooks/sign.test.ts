import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { Secret } from '../secret.ts';
import { signatureHeaders } from './sign.ts';

const key = Buffer.from('0123456789abcdef0123456789abcdef');
const secret = new Secret(`whsec_${key.toString('base64')}`);

test.each(['', '{"data":{"é":"\u2028"}}'])('a receiver tells our call by its signature: body %j', (body) => {
  const now = systemClock.now();
  const headers = signatureHeaders({ secret, id: 'decision-1', body, now });
  expect(() => new Webhook(secret.reveal()).verify(body, headers)).not.toThrow();
  expect(() => new Webhook(secret.reveal()).verify(`${body} `, headers)).toThrow('No matching signature');
  expect(() => new Webhook(Buffer.alloc(32).toString('base64')).verify(body, headers)).toThrow('No matching signature');
});

test('the signature is that of the scheme, over id, time in seconds and body', () => {
  expect(signatureHeaders({ secret, id: 'd', body: 'b', now: 1_767_225_600_999 })).toEqual({
    'webhook-id': 'd',
    'webhook-timestamp': '1767225600',
    'webhook-signature': `v1,${createHmac('sha256', key).update('d.1767225600.b').digest('base64')}`,
  });
});
