import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonNumber } from '../../shared/schema/decimal.ts';
import type { Cut } from './cut.ts';
import { cutForRecord, cutOperation, cutText } from './cut-for-record.ts';

const KiB = 1024;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a part of a request', () => {
  it('is kept as it came up to 16 KiB of JSON, and cut with its hash beyond', () => {
    const fits = ['x'.repeat(16 * KiB - 4)];
    expect(cutForRecord(fits)).toBe(fits);
    const long = ['x'.repeat(16 * KiB - 3)];
    const json = JSON.stringify(long);
    expect(cutForRecord(long)).toEqual({
      truncated: true,
      bytes: 16 * KiB + 1,
      sha256: sha256(json),
      start: json.slice(0, 8 * KiB),
    });
  });

  it('is counted in bytes as they are written', () => {
    for (const text of ['ä'.repeat(9 * KiB), '\u0000'.repeat(3 * KiB), '\ud800'.repeat(3 * KiB), '"'.repeat(9 * KiB)]) {
      expect(cutForRecord({ text }), text[0]).toHaveProperty('truncated');
    }
    const numbers = Array.from({ length: 800 }, () => new JsonNumber('12345678901234567890'));
    expect(cutForRecord(numbers)).toHaveProperty('bytes', 800 * 21 + 1);
  });

  it('takes at most 33 KiB of a record, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 3000 }), (value, times) => {
        const part = Array.from({ length: times }, () => value);
        const [json, written] = [JSON.stringify(part), JSON.stringify(cutForRecord(part))];
        expect(Buffer.byteLength(written)).toBeLessThan(33 * KiB);
        if (Buffer.byteLength(json) <= 16 * KiB) expect(written).toBe(json);
        else expect((cutForRecord(part) as Cut).sha256).toBe(sha256(json));
      }),
    );
  });
});

describe('a long operation', () => {
  it('loses what is long of it and nothing else', () => {
    const callData = `0x${'ab'.repeat(20 * KiB)}`;
    const operation = { sender: '0x01', nonce: '0x0', callData, signature: '0xc3', eip7702Auth: { chainId: '0x1' } };
    expect(cutOperation(operation)).toEqual({
      ...operation,
      callData: {
        truncated: true,
        bytes: 40 * KiB + 4,
        sha256: sha256(`"${callData}"`),
        start: `"${callData}`.slice(0, KiB),
      },
    });
    const short = { ...operation, callData: callData.slice(0, 12 * KiB) };
    expect(cutOperation(short)).toBe(short);
  });
});

it('a long text is cut, and says so', () => {
  const text = 'x'.repeat(16 * KiB);
  expect(cutText(text)).toBe(text);
  expect(cutText(`${text}x`)).toBe(`${text.slice(0, 8 * KiB)}… (16385 bytes, SHA-256 ${sha256(`${text}x`)})`);
});
