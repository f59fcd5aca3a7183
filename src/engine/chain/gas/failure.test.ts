import { AbiCoder, concat } from 'ethers';
import { expect, it } from 'vitest';
import type { Hex } from '../../../shared/schema/hex.ts';
import { revertReason, validationFailure } from './failure.ts';

const encode = (selector: string, type: string, value: unknown): Hex =>
  concat([selector, AbiCoder.defaultAbiCoder().encode([type], [value])]) as Hex;
const error = (reason: string): Hex => encode('0x08c379a0', 'string', reason);
const panic = (code: number): Hex => encode('0x4e487b71', 'uint256', code);
const notUtf8 = encode('0x08c379a0', 'bytes', '0xffff');

it.each<[string, Hex, string]>([
  ['a reason', error('GameItems: minting is closed'), 'GameItems: minting is closed'],
  ['a panic', panic(0x11), 'panic 0x11 (arithmetic overflow or underflow)'],
  ['a panic of no known kind', panic(0x99), 'panic 0x99 (unknown)'],
  ['a custom error', '0x12345678', 'custom error 0x12345678'],
  ['nothing', '0x', 'no reason given'],
  ['less than a selector', '0x1234', 'revert data 0x1234'],
  ['a reason that is not text', notUtf8, 'custom error 0x08c379a0'],
  ['a reason cut short', error('a').slice(0, 80) as Hex, 'custom error 0x08c379a0'],
  ['a reason with line ends and escapes', error('a\r\n\u001b[2Jb'), 'a [2Jb'],
  ['an endless reason', error('x'.repeat(5000)), 'x'.repeat(300)],
  ['a signature that the account was shown', error(`no: 0x${'c3'.repeat(65)}`), 'no: …'],
])('a DApp developer reads why a call failed: %s', (_, data, reason) => {
  expect(revertReason(data)).toBe(reason);
});

it('programs find the AA code and the reason of a failure apart from its text', () => {
  const { data, message } = validationFailure('AA23 reverted: AA99 not the owner', undefined);
  expect(data).toEqual({ aaCode: 'AA23', reason: 'AA99 not the owner' });
  expect(message).toMatch(/^AA23 reverted: AA99 not the owner\. The account refused/);
});

it('a failure without AA code is still told', () => {
  const { data, message } = validationFailure('user rejected', undefined);
  expect({ data, message }).toEqual({ data: { reason: 'user rejected' }, message: 'user rejected' });
});
