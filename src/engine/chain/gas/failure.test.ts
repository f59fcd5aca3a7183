import { AbiCoder, Interface, concat } from 'ethers';
import { expect, it } from 'vitest';
import type { EngineError } from '../../../shared/errors.ts';
import type { Hex } from '../../../shared/schema/hex.ts';
import { RpcError } from '../rpc.ts';
import { revertReason, simulationFailure } from './failure.ts';

const encode = (selector: string, type: string, value: unknown): Hex =>
  concat([selector, AbiCoder.defaultAbiCoder().encode([type], [value])]) as Hex;
const error = (reason: string): Hex => encode('0x08c379a0', 'string', reason);
const panic = (code: number): Hex => encode('0x4e487b71', 'uint256', code);
const notUtf8 = encode('0x08c379a0', 'bytes', '0xffff');

it.each<[string, Hex, string]>([
  ['a reason', error('GameItems: minting is closed'), 'GameItems: minting is closed'],
  ['a panic', panic(0x11), 'panic 0x11 (arithmetic overflow or underflow)'],
  ['a panic of no known kind', panic(0x99), 'panic of an unknown kind'],
  ['a custom error', '0x12345678', 'custom error 0x12345678'],
  ['nothing', '0x', 'no reason given'],
  ['less than a selector', '0x1234', 'revert data 0x1234'],
  ['a reason that is not text', notUtf8, 'custom error 0x08c379a0'],
  ['a reason cut short', error('a').slice(0, 80) as Hex, 'custom error 0x08c379a0'],
  ['a reason with line ends and escapes', error('a\r\n\u001b[2Jb'), 'a [2Jb'],
  ['a long reason', error('x'.repeat(5000)), 'x'.repeat(300)],
  ['a reason that would take long to decode', error('x'.repeat(1_000_000)), 'custom error 0x08c379a0'],
  ['a signature that the account was shown', error(`no: 0x${'c3'.repeat(65)}`), 'no: …'],
])('a DApp developer reads why a call failed: %s', (_, data, reason) => {
  expect(revertReason(data)).toBe(reason);
});

const entryPoint = new Interface([
  'error FailedOp(uint256 opIndex, string reason)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
]);
const failedOp = (reason: string): Hex => entryPoint.encodeErrorResult('FailedOp', [0, reason]) as Hex;
const withRevert = (reason: string, inner: Hex): Hex =>
  entryPoint.encodeErrorResult('FailedOpWithRevert', [0, reason, inner]) as Hex;
const SECRET = 'c3c3-c3c3-c3c3';
const TOLD = 'The account rejected the operation. A dummy signature must have the length and format of a real one.';

it.each<[string, string, Hex | undefined, string, object]>([
  [
    'an AA code with a text of the account',
    '',
    failedOp(`AA23 reverted: ${SECRET}`),
    `AA23 reverted (or OOG). ${TOLD}`,
    { aaCode: 'AA23', reason: 'reverted (or OOG)' },
  ],
  [
    'an AA code with a reason of the account',
    '',
    withRevert('AA23 reverted', error(SECRET)),
    `AA23 reverted (or OOG): Error(string). ${TOLD}`,
    { aaCode: 'AA23', selector: '0x08c379a0', reason: 'reverted (or OOG)' },
  ],
  [
    'an AA code with a custom error of the paymaster',
    '',
    withRevert('AA33 reverted', encode('0x12345678', 'string', SECRET)),
    'AA33 reverted (or OOG): custom error 0x12345678',
    { aaCode: 'AA33', selector: '0x12345678', reason: 'reverted (or OOG)' },
  ],
  [
    'an AA code with a number of the account for a panic',
    '',
    withRevert('AA23 reverted', panic(0xc3c3c3c3)),
    `AA23 reverted (or OOG): panic of an unknown kind. ${TOLD}`,
    { aaCode: 'AA23', selector: '0x4e487b71', reason: 'reverted (or OOG)' },
  ],
  ['a code that is none', '', failedOp(`AA77 ${SECRET}`), 'The simulation failed', { reason: 'The simulation failed' }],
  [
    'a bare reason',
    '',
    error(SECRET),
    'The simulation failed: Error(string)',
    { selector: '0x08c379a0', reason: 'The simulation failed' },
  ],
  [
    "a bare reason in the EntryPoint's own words",
    '',
    error('sender has no code'),
    'sender has no code',
    { reason: 'sender has no code' },
  ],
  [
    "a node's message that quotes",
    `execution reverted: AA25 ${SECRET}`,
    undefined,
    'AA25 invalid account nonce. Read the nonce from EntryPoint.getNonce just before sending.',
    { aaCode: 'AA25', reason: 'invalid account nonce' },
  ],
])('no text of a contract leaves a simulation that carries a signature: %s', (_, text, data, message, fields) => {
  const failure = simulationFailure(new RpcError(3, text, data));
  expect(failure).toMatchObject({ code: 'GAS_ESTIMATION_FAILED', message });
  expect((failure as EngineError).data).toEqual(fields);
});
