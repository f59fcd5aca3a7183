import { concat, dataLength, dataSlice, toBeHex } from 'ethers';
import { describe, expect, it } from 'vitest';
import {
  BATCH,
  SENDER,
  SINGLE,
  TOKEN,
  ZERO_ADDRESS,
  encodeArguments,
  encodeExecute,
  encodeExecute7579,
  encodeFunction,
  hex,
} from '../../../test/support/account-call-data.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { EntryPointVersion } from '../../shared/schema/user-operation.ts';
import { decodeCalls } from './decode-calls.ts';

const OTHER: Address = '0x1111111111111111111111111111111111111111';
const LAUNCHPAD: Address = '0x7579011ab74c46090561ea277ba79d510c6c00ff';
const ADAPTER: Address = '0x7579ee8307284f293b1927136486880611f20002';
const TUPLE = '(address,uint256,bytes)';

type Call = [target: Address, value: bigint, data: Hex];
const MINT: Call = [TOKEN, 0n, '0xa0712d680000000000000000000000000000000000000000000000000000000000000003'];
const PAID: Call = [OTHER, 5n, '0xdeadbeef'];

/** MetaMask's Hybrid and Stateless7702. */
const execute = (call: Call): Hex => encodeFunction(`execute(${TUPLE})`, [TUPLE], [call]);

/** Uniswap's Calibur: no selector follows the executeUserOp prefix. */
const calibur = (...calls: Call[]): Hex =>
  hex(concat(['0x8dd7712f', encodeArguments([`(${TUPLE}[],bool)`], [[calls, true]])]));

const batch = (...calls: Call[]): Hex => encodeExecute7579(BATCH, encodeArguments([`${TUPLE}[]`], [calls]));

const BATCH_OF_BATCHES: Hex = `0x01000000000078210002${'00'.repeat(22)}`;
const tuples = (...calls: Call[]): Hex => encodeArguments([`${TUPLE}[]`], [calls]);
const withData = (after: Hex, ...calls: Call[]): Hex => encodeArguments([`${TUPLE}[]`, 'bytes'], [calls, after]);
const batches = (...encoded: Hex[]): Hex =>
  encodeExecute7579(BATCH_OF_BATCHES, encodeArguments(['bytes[]'], [encoded]));
/** Its last word is zero: accounts that ignore the mode take it for the length of a call's data. */
const NOTHING_LAST: Call = [TOKEN, 0n, '0x'];

const MODULES = '(address,bytes)[]';
const initSafe7579 = encodeFunction(
  `initSafe7579(address,${MODULES},${MODULES},${MODULES},address[],uint8)`,
  ['address', MODULES, MODULES, MODULES, 'address[]', 'uint8'],
  [ADAPTER, [], [], [], [], 0],
);
const INIT_DATA = `(address,address[],uint256,address,bytes,address,${MODULES},bytes)`;

/** The first operation of a Safe7579 account. */
const setupSafe = (callData: Hex, setupTo: Address = LAUNCHPAD, setupData: Hex = initSafe7579): Hex =>
  encodeFunction(
    `setupSafe(${INIT_DATA})`,
    [INIT_DATA],
    [[OTHER, [OTHER], 1, setupTo, setupData, ADAPTER, [[OTHER, '0x1234']], callData]],
  );

const trailing = (callData: Hex): Hex => hex(concat([callData, encodeExecute(...PAID)]));

const decode = (callData: Hex, entryPointVersion: EntryPointVersion = '0.7') =>
  decodeCalls(callData, { sender: SENDER, entryPointVersion });

const callsOf = (...calls: Call[]) =>
  calls.map(([target, value, data]) => ({ target, value, data, operation: 'call' as const }));

describe('what each account makes of it', () => {
  it.each<[string, Hex, Call[]]>([
    ["MetaMask's execute of one tuple", execute(PAID), [PAID]],
    ["MetaMask's execute without data", execute([OTHER, 1n, '0x']), [[OTHER, 1n, '0x']]],
    ['a batch of Calibur', calibur(MINT, PAID), [MINT, PAID]],
    ['an empty batch of Calibur', calibur(), []],
    ["MetaMask's execute with bytes behind it, which nobody reads", trailing(execute(PAID)), [PAID]],
    ['a batch of Calibur with bytes behind it', trailing(calibur(MINT)), [MINT]],
    ['a Safe7579 with bytes behind it', trailing(setupSafe(trailing(batch(MINT)))), [MINT]],
    ["ERC-7821's batch of batches", batches(tuples(MINT, PAID), tuples(PAID)), [MINT, PAID, PAID]],
    ['a batch of batches with data after the calls', batches(withData('0x1234', PAID), tuples(MINT)), [PAID, MINT]],
    ['a batch of no batches', batches(), []],
    ["zero in Calibur's batch, which is the account", calibur([ZERO_ADDRESS, 0n, '0x1234']), [[SENDER, 0n, '0x1234']]],
    ['the first operation of a Safe7579', setupSafe(batch(MINT, PAID)), [MINT, PAID]],
    [
      'a single call in the first operation of a Safe7579',
      setupSafe(encodeExecute7579(SINGLE, concat([OTHER, toBeHex(5, 32), '0xdeadbeef']))),
      [PAID],
    ],
    [
      'an ERC-7579 batch that also calls address zero, with nothing',
      batch(MINT, [ZERO_ADDRESS, 0n, '0x']),
      [MINT, [ZERO_ADDRESS, 0n, '0x']],
    ],
  ])('%s', (_, callData, calls) => {
    expect(decode(callData)).toEqual({ outcome: 'decoded', calls: callsOf(...calls), via: [] });
  });

  it('a delegatecall that sets up a Safe7579 otherwise is a call like any other, before those that follow', () => {
    for (const callData of [setupSafe(batch(MINT), OTHER), setupSafe(batch(MINT), LAUNCHPAD, '0x12345678')]) {
      expect(decode(callData)).toMatchObject({
        outcome: 'decoded',
        calls: [{ operation: 'delegatecall' }, { target: TOKEN, operation: 'call' }],
      });
    }
  });
});

/** Replaces the word at `index` after the selector. */
const withWord = (callData: Hex, index: number, value: bigint): Hex => {
  const start = 4 + 32 * index;
  return hex(concat([dataSlice(callData, 0, start), toBeHex(value, 32), dataSlice(callData, start + 32)]));
};
const cut = (callData: Hex, bytes = 1): Hex => hex(dataSlice(callData, 0, dataLength(callData) - bytes));
const HUGE = (1n << 256n) - 32n;
const MANY = tuples(...Array.from({ length: 200 }, () => MINT));
const tryBatches = (...encoded: Hex[]): Hex =>
  encodeExecute7579(hex(`0x0101${BATCH_OF_BATCHES.slice(6)}`), encodeArguments(['bytes[]'], [encoded]));

describe('what is refused, as accounts may run what it hides', () => {
  it.each<[string, string, Hex, EntryPointVersion?]>([
    ["MetaMask's execute cut off", 'MALFORMED_CALL_DATA', cut(execute(PAID), 29)],
    ["MetaMask's execute with an offset past the end", 'MALFORMED_CALL_DATA', withWord(execute(PAID), 0, 4096n)],
    ["MetaMask's execute with an offset that wraps around", 'MALFORMED_CALL_DATA', withWord(execute(PAID), 0, HUGE)],
    ["MetaMask's execute with a dirty address", 'MALFORMED_CALL_DATA', withWord(execute(PAID), 1, 1n << 200n)],
    ["MetaMask's execute with data past the end", 'MALFORMED_CALL_DATA', withWord(execute(PAID), 3, 4096n)],
    ["MetaMask's execute as one tuple of one offset", 'MALFORMED_CALL_DATA', '0x5c1c6dcd'],

    ['Calibur on EntryPoint v0.6, which has no prefix', 'UNKNOWN_SELECTOR', calibur(MINT), '0.6'],
    ['Calibur cut off', 'MALFORMED_CALL_DATA', cut(calibur(MINT), 29)],
    ['Calibur without a batch', 'MALFORMED_CALL_DATA', hex(concat(['0x8dd7712f', toBeHex(32, 32)]))],
    ['Calibur with an offset of its own', 'MALFORMED_CALL_DATA', withWord(calibur(MINT), 0, 4096n)],
    ['Calibur with a wrong truth value', 'MALFORMED_CALL_DATA', withWord(calibur(MINT), 2, 2n)],
    ['Calibur with more calls than there are', 'MALFORMED_CALL_DATA', withWord(calibur(MINT), 3, 400n)],
    ['a second prefix before Calibur', 'NESTED_EXECUTE_USER_OP', hex(concat(['0x8dd7712f', calibur(MINT)]))],

    ['a Safe7579 whose first call is another function', 'UNKNOWN_SELECTOR', setupSafe(encodeExecute(...MINT))],
    ['a Safe7579 that is set up within its set-up', 'UNKNOWN_SELECTOR', setupSafe(setupSafe(batch(MINT)))],
    ['a Safe7579 that calls nothing', 'UNKNOWN_SELECTOR', setupSafe('0x')],
    ['a Safe7579 with less than a selector', 'UNKNOWN_SELECTOR', setupSafe('0xe9ae5c')],
    ['a Safe7579 whose calls are cut off', 'MALFORMED_CALL_DATA', setupSafe(cut(batch(MINT), 64))],
    ['a Safe7579 cut off', 'MALFORMED_CALL_DATA', cut(setupSafe(batch(MINT)), 40)],
    ['a Safe7579 with an offset past the end', 'MALFORMED_CALL_DATA', withWord(setupSafe(batch(MINT)), 8, HUGE)],
    [
      'a Safe7579 with an unknown mode',
      'UNKNOWN_EXECUTION_MODE',
      setupSafe(encodeExecute7579(hex(`0x02${'00'.repeat(31)}`), '0x')),
    ],

    [
      'a batch of batches that other accounts run as calls',
      'UNKNOWN_EXECUTION_MODE',
      batches(withData('0x', NOTHING_LAST)),
    ],
    ['a batch of empty batches', 'UNKNOWN_EXECUTION_MODE', batches(tuples(), tuples())],
    ['a batch of batches that goes on after errors', 'UNKNOWN_EXECUTION_MODE', tryBatches(tuples(MINT))],
    ['a batch of batches in batches', 'MALFORMED_CALL_DATA', batches(encodeArguments(['bytes[]'], [[tuples(MINT)]]))],
    ['a batch of batches with too many calls', 'TOO_MANY_CALLS', batches(...Array.from({ length: 6 }, () => MANY))],
    ['a batch of batches cut off', 'MALFORMED_CALL_DATA', cut(batches(tuples(MINT)), 64)],
    ['address zero with data', 'AMBIGUOUS_TARGET', batch(MINT, [ZERO_ADDRESS, 0n, '0x12345678'])],
    ['address zero with data in a Safe7579', 'AMBIGUOUS_TARGET', setupSafe(batch([ZERO_ADDRESS, 0n, '0x12345678']))],
  ])('%s is %s', (_, code, callData, version) => {
    expect(decode(callData, version)).toMatchObject({ outcome: 'undecodable', code });
  });

  it('a delegatecall inside the first operation of a Safe7579 is shown as one', () => {
    const delegatecall = encodeExecute7579(hex(`0xff${'00'.repeat(31)}`), concat([OTHER, '0x1234']));
    expect(decode(setupSafe(delegatecall))).toMatchObject({ calls: [{ target: OTHER, operation: 'delegatecall' }] });
  });
});
