import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceStep } from '../../shared/schema/decision.ts';
import {
  type StoredRecord,
  readRecord,
  recordText,
  singleSteps,
  stepText,
  stepTexts,
  traceText,
} from './stored-record.ts';

const long = `0x${'ab'.repeat(200)}`;
const record = (request: unknown): StoredRecord => ({ id: 'one', request }) as unknown as StoredRecord;

it.each<[string, unknown]>([
  [
    'an operation as it came',
    { received: [{ callData: long, nonce: '0x1' }, {}], userOperation: { callData: long, nonce: '0x1' } },
  ],
  ['one that was read otherwise', { received: [{ callData: long.toUpperCase() }], userOperation: { callData: long } }],
  ['one that was cut', { received: { truncated: true }, userOperation: { callData: { truncated: true } } }],
  ['a request that could not be read', { received: 'nonsense' }],
  ['no request', null],
  [
    'a hostile name',
    JSON.parse(`{"received":[{"__proto__":"${long}"}],"userOperation":{"__proto__":"${long}","toString":"${long}"}}`),
  ],
])('is read as it was written: %s', (_what, request) => {
  expect(readRecord(recordText(record(request)))).toEqual(record(request));
  expect(JSON.stringify(readRecord(recordText(record(request))))).toBe(JSON.stringify(record(request)));
});

it('keeps what came and was understood alike once, or the disk fills twice as fast', () => {
  const request = { received: [{ callData: long }], userOperation: { callData: long } };
  expect(recordText(record(request)).split(long)).toHaveLength(2);
});

it('reads a record in which nothing is omitted', () => {
  const before = record({ received: [{ callData: long }], userOperation: { callData: long } });
  expect(readRecord(JSON.stringify(before))).toEqual(before);
});

describe('steps', () => {
  const few = fc.constantFrom('a', 'b');
  const step: fc.Arbitrary<TraceStep> = fc.record({
    rule: few,
    outcome: fc.constantFrom('pass', 'deny'),
    code: few,
    micros: fc.constantFrom(1, 2),
    evidence: fc.constantFrom({}, { a: 1 }, { a: 2 }, { b: 1 }, { a: 1, b: ['a'] }, { a: 'b', b: {} }),
  });
  const shadow = step.chain((one) => few.map((id): TraceStep => ({ ...one, shadow: id })));
  const trace = fc.array(fc.oneof(step, shadow), { maxLength: 6, size: 'max' });

  it('that are equal in a row are stored once, and read as they were', () => {
    fc.assert(
      fc.property(trace, (steps) => {
        expect(singleSteps(stepTexts(steps))).toEqual(steps.map(stepText));
      }),
    );
    const [one] = fc.sample(step, 1);
    expect(stepTexts(Array.from({ length: 1_000 }, () => one!))).toEqual([`1000x ${stepText(one!)}`]);
  });

  it('of an export that names too many of them do not fill the memory', () => {
    const texts = Array.from({ length: 100 }, () => '99999x limit pass OK 1');
    expect(singleSteps(texts)).toHaveLength(99_999 + 99);
  });

  it('give the same text only if nothing in them differs that the hash of a trace covers', () => {
    const hashed = (steps: readonly TraceStep[]): string =>
      JSON.stringify(steps.map(({ micros: _, shadow: id = null, ...rest }) => ({ ...rest, id })));
    fc.assert(
      fc.property(trace, trace, (one, other) => {
        expect(traceText(one) === traceText(other)).toBe(hashed(one) === hashed(other));
        expect(traceText(one.map((each) => ({ ...each, micros: 7 })))).toBe(traceText(one));
      }),
      { numRuns: 2_000 },
    );
  });
});
