import { expect, test } from 'vitest';
import type { WebhookCallRow } from '../../../../api/webhooks.ts';
import { figuresOf, trialOf } from './webhook-calls.ts';

const made = (webhookId: string, code: string, ms: number): WebhookCallRow => ({
  decisionId: 'd',
  at: 0,
  index: 0,
  webhookId,
  code,
  micros: ms * 1000,
  url: 'https://a.example/',
  method: 'POST',
  outcome: 'pass',
  status: 200,
});

const sent = { webhookId: 'a', url: 'https://a.example/', method: 'POST' as const, response: '' };
const body = '{"data":{"user":"bob"},"userOp":{"sender":"0x1"}}';

test('verdicts are counted per webhook, and one slow call does not spoil the usual time', () => {
  const calls = [
    made('a', 'WEBHOOK_VERIFIED', 10),
    made('b', 'WEBHOOK_VERIFIED', 5),
    made('a', 'WEBHOOK_DENIED', 20),
    made('a', 'WEBHOOK_TIMEOUT', 3_000),
    made('a', 'WEBHOOK_FAILED_OPEN', 30),
  ];
  expect(figuresOf(calls, 'a')).toEqual({ calls: 4, verified: 1, refused: 1, errors: 2, medianMs: 25 });
  expect(figuresOf(calls, 'b')).toEqual({ calls: 1, verified: 1, refused: 0, errors: 0, medianMs: 5 });
  expect(figuresOf(calls, 'c')).toBeUndefined();
});

test('a test begins with what the webhook was sent last, by whichever method, else with an example', () => {
  const posted = (text: string) => trialOf({ ...sent, request: { headers: {}, body: text } });
  expect(posted(body)).toEqual({ data: { user: 'bob' }, userOp: { sender: '0x1' } });
  const url = `https://a.example/?data=${encodeURIComponent('{"n":1}')}`;
  expect(trialOf({ ...sent, method: 'GET', url, request: { headers: {}, body: '' } }).data).toEqual({ n: 1 });
  expect(posted('no JSON').data).toHaveProperty('user');
  expect(trialOf(undefined).data).toHaveProperty('user');
});
