import { describe, expect, it } from 'vitest';
import { checkAnswer } from './answers.ts';
import { WAYS, play } from './play.ts';
import type { Answer } from './wire.ts';

it('malformed requests over every way in break nothing, and everything that is stored can be read again', async () => {
  const plan = { seed: '20261126', requests: 2_000, only: [], until: Infinity, guidedPercent: 0 };
  const { counts, found, again } = await play(plan);
  expect(found).toEqual([]);
  expect([...counts.keys()].sort()).toEqual([...WAYS].sort());
  expect(again.decisions).toBeGreaterThan(100);
});

describe('an answer to a malformed request is a fault', () => {
  const headers = new Map([['content-type', 'application/json; charset=utf-8']]);
  const answer = (status: number, body: unknown): Answer => ({ status, headers, body: JSON.stringify(body) });
  const rpc = (error: object): object => ({ jsonrpc: '2.0', id: 1, error });

  it.each<[name: string, answer: Answer, fault: RegExp]>([
    ['of 500', answer(500, { statusCode: 500, message: 'Internal error' }), /HTTP 500/],
    ['of 503 without a reason', answer(503, { statusCode: 503, message: 'Away' }), /HTTP 503/],
    ['with another status inside', answer(400, { statusCode: 404, message: 'Not found' }), /own status/],
    ['that is an internal error', answer(200, rpc({ code: -32603, message: 'Internal error' })), /internal error/],
    ['with an unknown code', answer(200, rpc({ code: -1, message: 'Something' })), /unknown error code/],
    ['without a message', answer(200, rpc({ code: -32602, message: '' })), /unclear message/],
    ['with a stack trace', answer(400, { statusCode: 400, message: 'x\n    at read (a.ts:1)' }), /inside/],
    ['with result and error', answer(200, { ...rpc({ code: -32602, message: 'wrong' }), result: 1 }), /either/],
    ['that is cut', { status: 200, headers, body: '{"ok":tr' }, /not JSON/],
    ['of the console, with an unknown code', answer(400, { ok: false, code: 'ODD', message: 'wrong' }), /unclear/],
  ])('%s', (_name, given, fault) => {
    expect(() => checkAnswer(given)).toThrow(fault);
  });

  it.each<[name: string, answer: Answer]>([
    ['a JSON-RPC error', answer(400, rpc({ code: -32602, message: 'sender must be an EVM address' }))],
    ['an envelope', answer(404, { statusCode: 404, message: 'Not found' })],
    ['an error of the console', answer(400, { ok: false, code: 'VALIDATION', message: 'body must be an object' })],
    ['a chain that cannot be reached', answer(503, rpc({ code: -32053, message: 'The chain cannot be reached' }))],
  ])('%s is none', (_name, given) => {
    expect(() => checkAnswer(given)).not.toThrow();
  });
});
