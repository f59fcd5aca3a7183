import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { Secret } from '../base/secret.ts';
import { signatureHeaders, signedContent } from './sign.ts';

const key = Buffer.from('0123456789abcdef0123456789abcdef');
const secret = new Secret(`whsec_${key.toString('base64')}`);

test.each([
  ['', { method: 'POST', target: '/a', body: '' }],
  ['{"data":{"é":"\u2028"}}', { method: 'POST', target: '/a?b=1', body: '{"data":{"é":"\u2028"}}' }],
  ['GET /a?data=%7B%7D', { method: 'GET', target: '/a?data=%7B%7D', body: '' }],
])('a receiver recognises our call by its signature: content %j', (text, request) => {
  const now = systemClock.now();
  const content = signedContent(request);
  expect(content).toBe(text);
  const headers = signatureHeaders({ secret, id: 'decision-1', content, now });
  const verify = (signed: string, key = secret.reveal()) =>
    new Webhook(key).verify(signed, headers, { jsonParse: false });
  expect(() => verify(text)).not.toThrow();
  expect(() => verify(`${text} `)).toThrow('No matching signature');
  expect(() => verify(text, Buffer.alloc(32).toString('base64'))).toThrow('No matching signature');
});

test('the signature is that of the scheme, over id, time in seconds and content', () => {
  expect(signatureHeaders({ secret, id: 'd', content: 'b', now: 1_767_225_600_999 })).toEqual({
    'webhook-id': 'd',
    'webhook-timestamp': '1767225600',
    'webhook-signature': `v1,${createHmac('sha256', key).update('d.1767225600.b').digest('base64')}`,
  });
});
