import { describe, expect, test } from 'vitest';
import { id } from 'ethers';
import {
  MULTI_SEND,
  SENDER,
  callDecodingVectors,
  encodeExecute,
  encodeFunction,
  encodeMultiSend,
  encodeSafe,
  packTransaction,
} from '../../../test/support/account-call-data.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { decodeCalls } from '../calls/decode-calls.ts';
import type { Decoding } from '../calls/decoding.ts';
import { checkContracts } from './contracts.ts';
import type { ContractWhitelist, WhitelistedContract } from '../contract-abi/whitelist.ts';

const ITEMS: Address = '0x1111111111111111111111111111111111111111';
const PAUSED: Address = '0x2222222222222222222222222222222222222222';
const STRANGER: Address = '0x3333333333333333333333333333333333333333';

const selector = (signature: string): Hex => id(signature).slice(0, 10) as Hex;
const call = (signature: string, ...args: bigint[]): Hex =>
  encodeFunction(
    signature,
    args.map(() => 'uint256'),
    args,
  );

const contract = (name: string, methods: string[], sponsored: string[], active = true): WhitelistedContract => ({
  name,
  active,
  selectors: new Set(sponsored.map(selector)),
  signatures: new Map(methods.map((method) => [selector(method), method])),
});

const METHODS = ['mint(uint256)', 'mint(uint256,uint256)', 'burn(uint256)'];
const whitelist: ContractWhitelist = new Map([
  [ITEMS, contract('Items', METHODS, ['mint(uint256)'])],
  [PAUSED, contract('Paused', METHODS, METHODS, false)],
]);

const MINT = call('mint(uint256)', 1n);
const BURN = call('burn(uint256)', 1n);
const batch = (calls: [Address, bigint, Hex][]): Hex =>
  encodeFunction(
    'executeBatch(address[],uint256[],bytes[])',
    ['address[]', 'uint256[]', 'bytes[]'],
    [calls.map(([to]) => to), calls.map(([, value]) => value), calls.map(([, , data]) => data)],
  );

const decode = (callData: Hex): Decoding => decodeCalls(callData, { sender: SENDER, entryPointVersion: '0.7' });
const check = (callData: Hex, by: ContractWhitelist = whitelist) =>
  checkContracts(by, { sender: SENDER, decoding: decode(callData) });

describe('what is sponsored', () => {
  test.each<[string, Hex]>([
    ['a whitelisted method', encodeExecute(ITEMS, 0n, MINT)],
    ['a whitelisted method that is paid', encodeExecute(ITEMS, 5n, MINT)],
    [
      'a batch of whitelisted methods',
      batch([
        [ITEMS, 0n, MINT],
        [ITEMS, 0n, MINT],
      ]),
    ],
    [
      'a known MultiSend of whitelisted methods',
      encodeSafe(MULTI_SEND, encodeMultiSend(packTransaction(0, ITEMS, MINT)), 1),
    ],
    ['an operation that calls nothing', '0x'],
  ])('%s', (_, callData) => {
    expect(check(callData)).toMatchObject({ outcome: 'pass', code: 'CALLS_WHITELISTED' });
  });

  test('an account whose address is written in capitals calls itself all the same', () => {
    const sender: Address = `0x${SENDER.slice(2).toUpperCase()}`;
    const decoding = decode(encodeExecute(SENDER, 0n, MINT));
    expect(checkContracts(whitelist, { sender, decoding }).code).toBe('SELF_CALL_NOT_ALLOWED');
  });

  test('a DApp without registered contracts sponsors any call, even one that cannot be read', () => {
    for (const callData of [encodeExecute(STRANGER, 1n, '0x'), '0xdeadbeef'] as const)
      expect(check(callData, new Map())).toMatchObject({ outcome: 'skip', code: 'NO_CONTRACT_REGISTERED' });
  });
});

describe('what is not, and which call of a batch is to blame', () => {
  const bare = contract('Bare', METHODS, []);
  test.each<[string, Hex, string, object]>([
    ['another contract', encodeExecute(STRANGER, 0n, MINT), 'CONTRACT_NOT_REGISTERED', { target: STRANGER }],
    [
      'another method',
      encodeExecute(ITEMS, 0n, BURN),
      'METHOD_NOT_WHITELISTED',
      { method: 'burn(uint256)', contract: 'Items' },
    ],
    [
      'an overload that is not listed',
      encodeExecute(ITEMS, 0n, call('mint(uint256,uint256)', 1n, 2n)),
      'METHOD_NOT_WHITELISTED',
      { method: 'mint(uint256,uint256)' },
    ],
    [
      'a method the ABI does not have',
      encodeExecute(ITEMS, 0n, '0xdeadbeef'),
      'METHOD_NOT_IN_ABI',
      { selector: '0xdeadbeef' },
    ],
    [
      'data too short to name a method',
      encodeExecute(ITEMS, 0n, '0xa0712d'),
      'METHOD_NOT_IN_ABI',
      { selector: '0xa0712d' },
    ],
    ['a paused contract', encodeExecute(PAUSED, 0n, MINT), 'CONTRACT_PAUSED', { contract: 'Paused' }],
    ['a plain transfer to a stranger', encodeExecute(STRANGER, 7n, '0x'), 'PLAIN_TRANSFER', { valueWei: '7' }],
    ['a plain transfer to a registered contract', encodeExecute(ITEMS, 7n, '0x'), 'PLAIN_TRANSFER', { target: ITEMS }],
    ['a call of nothing', encodeExecute(ITEMS, 0n, '0x'), 'PLAIN_TRANSFER', { valueWei: '0' }],
    ['a call of the account itself', encodeExecute(SENDER, 0n, MINT), 'SELF_CALL_NOT_ALLOWED', { target: SENDER }],
    [
      'a delegatecall to a registered contract',
      encodeSafe(ITEMS, MINT, 1),
      'DELEGATECALL_NOT_ALLOWED',
      { target: ITEMS },
    ],
    [
      'a delegatecall to a stranger inside a known MultiSend',
      encodeSafe(MULTI_SEND, encodeMultiSend(packTransaction(0, ITEMS, MINT), packTransaction(1, STRANGER, MINT)), 1),
      'DELEGATECALL_NOT_ALLOWED',
      { call: 2, calls: 2 },
    ],
    [
      'a bad call at the end of a batch',
      batch([
        [ITEMS, 0n, MINT],
        [ITEMS, 0n, MINT],
        [ITEMS, 0n, BURN],
      ]),
      'METHOD_NOT_WHITELISTED',
      { call: 3, calls: 3 },
    ],
    [
      'the first of several bad calls',
      batch([
        [ITEMS, 0n, MINT],
        [STRANGER, 0n, MINT],
        [ITEMS, 0n, BURN],
      ]),
      'CONTRACT_NOT_REGISTERED',
      { call: 2, calls: 3 },
    ],
  ])('%s', (_, callData, code, evidence) => {
    expect(check(callData)).toMatchObject({ outcome: 'deny', code, evidence });
  });

  test('a contract with no method whitelisted sponsors nothing', () => {
    for (const method of METHODS) {
      const { outcome, code } = check(encodeExecute(ITEMS, 0n, selector(method)), new Map([[ITEMS, bare]]));
      expect([outcome, code]).toEqual(['deny', 'METHOD_NOT_WHITELISTED']);
    }
  });
});

describe('what cannot be read', () => {
  const undecodable = callDecodingVectors.cases.filter(
    ({ outcome, acceptable }) => outcome === 'undecodable' && !acceptable,
  );
  const verdicts = undecodable.map(({ sender, callData, entryPoint }) => {
    const entryPointVersion = entryPoint.startsWith('0x5FF') ? '0.6' : '0.7';
    const decoding = decodeCalls(callData, { sender, entryPointVersion });
    return { decoding, verdict: checkContracts(whitelist, { sender, decoding }) };
  });

  test('is never sponsored, and keeps the code and the words of the decoder', () => {
    expect(verdicts.length).toBeGreaterThan(50);
    for (const { decoding, verdict } of verdicts) {
      if (decoding.outcome !== 'undecodable') throw new Error('these cases cannot be decoded');
      expect(verdict).toEqual({ outcome: 'deny', code: decoding.code, evidence: { detail: decoding.detail } });
    }
  });

  test.each([
    'UNKNOWN_SELECTOR',
    'MALFORMED_CALL_DATA',
    'NESTED_EXECUTE_USER_OP',
    'HIDDEN_CALLS',
    'UNKNOWN_EXECUTION_MODE',
  ])('%s is a reason of its own, so that a developer knows what to change', (code) => {
    expect(verdicts.map(({ verdict }) => verdict.code)).toContain(code);
  });

  test.each<[string, Hex]>([
    ['NESTED_TOO_DEEP', nested(6)],
    [
      'TOO_MANY_CALLS',
      encodeSafe(
        MULTI_SEND,
        encodeMultiSend(...Array.from({ length: 3000 }, () => packTransaction(0, ITEMS, '0x'))),
        1,
      ),
    ],
  ])('%s bounds the work that one request can cause', (code, callData) => {
    expect(check(callData)).toMatchObject({ outcome: 'deny', code });
  });
});

function nested(depth: number): Hex {
  let data = encodeMultiSend(packTransaction(0, ITEMS, MINT));
  for (let level = 1; level < depth; level += 1) data = encodeMultiSend(packTransaction(1, MULTI_SEND, data));
  return encodeSafe(MULTI_SEND, data, 1);
}
