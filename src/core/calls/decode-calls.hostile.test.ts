import { concat, dataLength, toBeHex } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BATCH,
  MULTI_SEND,
  SENDER,
  TOKEN,
  callDecodingVectors,
  encodeMultiSend,
  encodeSafe,
  hex,
  packTransaction,
} from '../../../test/support/account-call-data.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { type EntryPointVersion, entryPointVersion } from '../../shared/schema/user-operation.ts';
import { accountFunctions } from './account-functions.ts';
import { decodeCalls } from './decode-calls.ts';
import type { DecodeErrorCode } from './decode-error.ts';
import { sized } from '../../../test/support/combinations.ts';

const decode = (callData: Hex, entryPointVersion: EntryPointVersion = '0.7') =>
  decodeCalls(callData, { sender: SENDER, entryPointVersion });
const errorOf = (callData: Hex, version?: EntryPointVersion): DecodeErrorCode | 'decoded' => {
  const decoding = decode(callData, version);
  return decoding.outcome === 'undecodable' ? decoding.code : 'decoded';
};

const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);

describe('no input takes the desk down', () => {
  const versions = fc.constantFrom(...entryPointVersion.options);
  const selectors = fc.constantFrom(...accountFunctions.keys(), '0x8dd7712f', '0x8d80ff0a').map(hex);

  /** Decodes to one of the two outcomes, and never returns more bytes than the input has. */
  const expectBounded = (callData: Hex, version: EntryPointVersion) => {
    const decoding = decode(callData, version);
    if (decoding.outcome === 'undecodable') {
      expect(decoding.detail).not.toBe('');
      return;
    }
    const total = decoding.calls.reduce((sum, call) => sum + dataLength(call.data), 0);
    expect(total).toBeLessThanOrEqual(dataLength(callData));
  };

  it('random bytes, bare or behind a known selector, are answered', () => {
    fc.assert(
      fc.property(bytes(600), selectors, versions, (data, selector, version) => {
        expectBounded(data, version);
        expectBounded(hex(concat([selector, data])), version);
      }),
      { numRuns: sized(1000, 200) },
    );
  });

  it('random words of plausible offsets and lengths behind a known selector are answered', () => {
    const word = fc.oneof(
      fc.nat(40).map((k) => BigInt(k) * 32n),
      fc.nat(5).map(BigInt),
      fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
      fc.constantFrom(BigInt(MULTI_SEND), BigInt(BATCH), (1n << 256n) - 32n),
    );
    fc.assert(
      fc.property(selectors, fc.array(word, { maxLength: 60 }), versions, (selector, words, version) => {
        expectBounded(hex(concat([selector, ...words.map((value) => toBeHex(value, 32))])), version);
      }),
      { numRuns: sized(2000, 400) },
    );
  });

  it('valid operations with bytes flipped, cut off or put in are answered', () => {
    const edit = fc.record({ kind: fc.constantFrom('flip', 'truncate', 'insert'), at: fc.nat(), byte: fc.nat(255) });
    const valid = fc.constantFrom(...callDecodingVectors.cases.map((vector) => vector.callData));
    fc.assert(
      fc.property(valid, fc.array(edit, { minLength: 1, maxLength: 4 }), versions, (callData, edits, version) => {
        let mutated = Buffer.from(callData.slice(2), 'hex');
        for (const { kind, at, byte } of edits) {
          const position = at % (mutated.length + 1);
          const rest = mutated.subarray(kind === 'insert' ? position : position + 1);
          if (kind === 'truncate') mutated = mutated.subarray(0, position);
          else mutated = Buffer.concat([mutated.subarray(0, position), Buffer.from([byte]), rest]);
        }
        expectBounded(`0x${mutated.toString('hex')}`, version);
      }),
      { numRuns: sized(2000, 400) },
    );
  });

  const word = (value: number | bigint) => toBeHex(value, 32).slice(2);
  const MEBIBYTE = 1 << 20;

  /** An executeBatch with `count` offsets that all point to the same tuple, whose data has `size` bytes. */
  const sharedTuples = (count: number, size: number) =>
    hex(
      `0x34fcd5be${word(32)}${word(count)}${word(count * 32).repeat(count)}` +
        `${word(BigInt(TOKEN))}${word(0)}${word(96)}${word(size)}${'ab'.repeat(size)}`,
    );

  it('a batch of 30,000 offsets to the same large data does not become gigabytes', () => {
    expect(errorOf(sharedTuples(30_000, MEBIBYTE))).toBe('TOO_MANY_CALLS');
    expect(errorOf(sharedTuples(1000, MEBIBYTE))).toBe('MALFORMED_CALL_DATA');
    expectBounded(sharedTuples(1000, 30), '0.7');
    expect(errorOf(sharedTuples(1000, 30))).toBe('decoded');
  });

  it('1 MiB of zeros, of ones or of tiny MultiSend entries is answered in bounds', () => {
    const entries = packTransaction(0, TOKEN, '0x').slice(2).repeat(12_000);
    expect(errorOf(encodeSafe(MULTI_SEND, encodeMultiSend(`0x${entries}`), 1))).toBe('TOO_MANY_CALLS');
    for (const selector of accountFunctions.keys()) {
      for (const fill of ['00', 'ff']) expectBounded(hex(selector + fill.repeat(MEBIBYTE)), '0.7');
    }
  });

  it('MultiSends inside a MultiSend count together', () => {
    const inner = encodeMultiSend(
      ...Array.from({ length: 900 }, () => packTransaction(0, TOKEN, `0x${'cd'.repeat(40)}`)),
    );
    const outer = encodeSafe(
      MULTI_SEND,
      encodeMultiSend(packTransaction(1, MULTI_SEND, inner), packTransaction(1, MULTI_SEND, inner)),
      1,
    );
    expect(errorOf(outer)).toBe('TOO_MANY_CALLS');
    expectBounded(encodeSafe(MULTI_SEND, encodeMultiSend(packTransaction(1, MULTI_SEND, inner)), 1), '0.7');
  });
});
