import { expect, it } from 'vitest';
import { type StoredRecord, readRecord, recordText } from './stored-record.ts';

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
