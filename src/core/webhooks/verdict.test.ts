import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WebhookDenialCode } from './webhook-denials.ts';
import { type Answer, verdictOn } from './verdict.ts';

const answer = (text: string, status = 200): Answer => ({ status, headers: {}, text });
const judge = (given: Answer, failOpen = false) => verdictOn(given, 'hooks.example', failOpen);

test.each([
  '{"arePoliciesVerified":true}',
  '{"arePoliciesVerifed":true}',
  '{"arePoliciesVerified":true,"arePoliciesVerifed":true}',
  ' \n{"more":{"arePoliciesVerified":false},"arePoliciesVerified":true}\n',
])('%s verifies an operation', (text) => {
  expect(judge(answer(text))).toEqual({
    outcome: 'pass',
    code: 'WEBHOOK_VERIFIED',
    evidence: { host: 'hooks.example', status: 200 },
  });
  expect(judge(answer(text, 299)).outcome).toBe('pass');
});

test.each([
  ['{"arePoliciesVerified":false}', 'WEBHOOK_DENIED'],
  ['{"arePoliciesVerifed":false}', 'WEBHOOK_DENIED'],
  ['{"arePoliciesVerified":true,"arePoliciesVerifed":false}', 'WEBHOOK_DENIED'],
  ['{"arePoliciesVerified":false,"arePoliciesVerifed":true}', 'WEBHOOK_DENIED'],
  ['{"arePoliciesVerified":true,"arePoliciesVerifed":1}', 'WEBHOOK_NO_VERDICT'],
  ['{"arePoliciesVerified":"true"}', 'WEBHOOK_NO_VERDICT'],
  ['{"arePoliciesVerified":"false"}', 'WEBHOOK_NO_VERDICT'],
  ['{"arePoliciesVerified":1}', 'WEBHOOK_NO_VERDICT'],
  ['{"arePoliciesVerified":null}', 'WEBHOOK_NO_VERDICT'],
  ['{"arePoliciesVerified":[true]}', 'WEBHOOK_NO_VERDICT'],
  ['{"arePoliciesVerified":{"value":true}}', 'WEBHOOK_NO_VERDICT'],
  ['{"arePolicysVerified":true}', 'WEBHOOK_NO_VERDICT'],
  ['{"ArePoliciesVerified":true}', 'WEBHOOK_NO_VERDICT'],
  ['{"arePoliciesVerified ":true}', 'WEBHOOK_NO_VERDICT'],
  ['{"data":{"arePoliciesVerified":true}}', 'WEBHOOK_NO_VERDICT'],
  ['{"__proto__":{"arePoliciesVerified":true}}', 'WEBHOOK_NO_VERDICT'],
  ['[{"arePoliciesVerified":true}]', 'WEBHOOK_NO_VERDICT'],
  ['["arePoliciesVerified",true]', 'WEBHOOK_NO_VERDICT'],
  ['{}', 'WEBHOOK_NO_VERDICT'],
  ['[]', 'WEBHOOK_NO_VERDICT'],
  ['true', 'WEBHOOK_NO_VERDICT'],
  ['null', 'WEBHOOK_NO_VERDICT'],
  ['"arePoliciesVerified"', 'WEBHOOK_NO_VERDICT'],
  ['', 'WEBHOOK_NOT_JSON'],
  ['   ', 'WEBHOOK_NOT_JSON'],
  ['arePoliciesVerified: true', 'WEBHOOK_NOT_JSON'],
  ["{'arePoliciesVerified':true}", 'WEBHOOK_NOT_JSON'],
  ['{"arePoliciesVerified":true}{"arePoliciesVerified":true}', 'WEBHOOK_NOT_JSON'],
  ['{"arePoliciesVerified":true', 'WEBHOOK_NOT_JSON'],
  ['{"arePoliciesVerified":true,}', 'WEBHOOK_NOT_JSON'],
  ['[undefined]', 'WEBHOOK_NOT_JSON'],
  ['['.repeat(60_000), 'WEBHOOK_NOT_JSON'],
])('no gas is paid on the answer %.70s', (text, code) => {
  for (const failOpen of [false, true]) expect(judge(answer(text), failOpen)).toMatchObject({ outcome: 'deny', code });
});

test.each([
  ['{"arePoliciesVerified":false,"arePoliciesVerified":true}', 'arePoliciesVerified'],
  ['{"arePoliciesVerified":true,"arePoliciesVerified":false}', 'arePoliciesVerified'],
  ['{"arePoliciesVerified":true,"arePoliciesVerified":true}', 'arePoliciesVerified'],
  ['{"arePoliciesVerified":false , "\\u0061rePolicies\\u0056erified" : true}', 'arePoliciesVerified'],
  ['{"arePoliciesVerifed":false,"arePoliciesVerified":true,"arePoliciesVerifed":true}', 'arePoliciesVerifed'],
  ['{"arePoliciesVerified":true,"more":[{"a":{"b":1},"a":2}]}', 'a'],
  ['{"":1,"arePoliciesVerified":true,"":2}', ''],
  ['{"__proto__":1,"arePoliciesVerified":true,"__proto__":2}', '__proto__'],
])('no gas is paid on an answer that says one thing twice, which others could read otherwise: %s', (text, key) => {
  const denied = { outcome: 'deny', code: 'WEBHOOK_DUPLICATE_KEYS', evidence: { key } };
  for (const failOpen of [false, true]) expect(judge(answer(text), failOpen)).toMatchObject(denied);
  expect(judge(answer(text, 500), true)).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_STATUS' });
});

test.each([
  '{"arePoliciesVerified":true,"a":{"arePoliciesVerified":false},"b":[{"x":1},{"x":2}]}',
  '{"a":"x","b":"x","arePoliciesVerified":true,"c":"{\\"arePoliciesVerified\\":1,\\"arePoliciesVerified\\":2}"}',
  '{"a\\\\":1,"a":"\\\\","arePoliciesVerified":true}',
  '{"A":1,"a":["a","a",":"],"arePoliciesVerified":true}',
])('a key of another object, or in a text, is no second one: %s', (text) => {
  expect(judge(answer(text))).toMatchObject({ outcome: 'pass', code: 'WEBHOOK_VERIFIED' });
});

test('whatever else an answer holds, each of its keys twice is found and each once is not', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
  fc.assert(
    fc.property(json, fc.nat(), (members, at) => {
      const entries = Object.entries({ ...members, arePoliciesVerified: true });
      const write = (pairs: [string, unknown][]): string =>
        `{${pairs.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(', ')}}`;
      expect(judge(answer(write(entries)))).toMatchObject({ code: 'WEBHOOK_VERIFIED' });
      const twice = entries[at % entries.length]!;
      expect(judge(answer(write([...entries, twice])))).toMatchObject({ code: 'WEBHOOK_DUPLICATE_KEYS' });
    }),
  );
});

test('no JSON passes but an object whose member is true', () => {
  const key = fc.constantFrom('arePoliciesVerified', 'arePoliciesVerifed', 'arePoliciesVerifid', 'x');
  const value = fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.oneof(fc.boolean(), fc.jsonValue())));
  fc.assert(
    fc.property(value, fc.boolean(), (json, failOpen) => {
      const members = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
      const said = ['arePoliciesVerified', 'arePoliciesVerifed']
        .filter((name) => Object.hasOwn(members, name))
        .map((name) => members[name]);
      const passes = said.length > 0 && said.every((item) => item === true);
      return (judge(answer(JSON.stringify(json)), failOpen).outcome === 'pass') === passes;
    }),
  );
});

test.each([100, 199, 300, 304, 399, 400, 401, 404, 429, 499, 500, 503, 599, 999])(
  'no gas is paid on status %i, whatever its body says',
  (status) => {
    expect(judge(answer('{"arePoliciesVerified":true}', status))).toMatchObject({
      outcome: 'deny',
      code: 'WEBHOOK_STATUS',
      evidence: { status },
    });
  },
);

test.each([301, 302, 303, 307, 308])('a redirect (%i) is reported as one, with its target', (status) => {
  const headers = { location: 'https://elsewhere.example/' };
  expect(judge({ ...answer('{"arePoliciesVerified":true}', status), headers }, true)).toEqual({
    outcome: 'deny',
    code: 'WEBHOOK_REDIRECT',
    evidence: { host: 'hooks.example', status, location: 'https://elsewhere.example/' },
  });
});

test('what the receiver sent does not swell the evidence', () => {
  const long = 'x'.repeat(5_000);
  const redirect = judge({ ...answer('', 302), headers: { location: long } });
  const members = judge(answer(JSON.stringify({ [long]: true })));
  const twice = judge(answer(`{"${long}":1,"${long}":1}`));
  for (const { evidence } of [redirect, members, twice]) expect(JSON.stringify(evidence).length).toBeLessThan(400);
});

describe('a webhook set to fail open', () => {
  const silent = (code: WebhookDenialCode, text = '', status?: number): Answer => ({
    ...(status !== undefined && { status }),
    headers: {},
    text,
    error: { code, evidence: { detail: 'x', cause: 'ECONNREFUSED' } },
  });

  test.each([
    ['WEBHOOK_TIMEOUT', silent('WEBHOOK_TIMEOUT')],
    ['WEBHOOK_UNREACHABLE', silent('WEBHOOK_UNREACHABLE')],
    ['WEBHOOK_UNREACHABLE', silent('WEBHOOK_UNREACHABLE', '{"arePol', 200)],
    ['WEBHOOK_STATUS', answer('oops', 500)],
    ['WEBHOOK_STATUS', silent('WEBHOOK_TIMEOUT', 'oops', 503)],
  ])('passes an outage: %s', (outage, given) => {
    expect(judge(given).outcome).toBe('deny');
    expect(judge(given, true)).toMatchObject({ outcome: 'pass', code: 'WEBHOOK_FAILED_OPEN', evidence: { outage } });
    expect(verdictOn(given, 'hooks.example', true, 'it answers others')).toMatchObject({
      outcome: 'deny',
      code: outage,
      evidence: { notAnOutage: 'it answers others' },
    });
  });

  test.each([
    ['WEBHOOK_DENIED', answer('{"arePoliciesVerified":false}')],
    ['WEBHOOK_STATUS', answer('{"arePoliciesVerified":false}', 500)],
    ['WEBHOOK_TIMEOUT', silent('WEBHOOK_TIMEOUT', '{"arePoliciesVerified":false}', 200)],
    ['WEBHOOK_STATUS', answer('', 404)],
    ['WEBHOOK_STATUS', silent('WEBHOOK_TIMEOUT', '', 404)],
    ['WEBHOOK_BUSY', silent('WEBHOOK_BUSY')],
    ['WEBHOOK_ADDRESS_REFUSED', silent('WEBHOOK_ADDRESS_REFUSED')],
    ['WEBHOOK_TOO_LARGE', silent('WEBHOOK_TOO_LARGE', '', 200)],
    ['WEBHOOK_NOT_HTTP', silent('WEBHOOK_NOT_HTTP')],
  ])('passes nothing else: %s', (code, given) => {
    expect(judge(given, true)).toMatchObject({ outcome: 'deny', code });
  });
});
