import { id, solidityPacked } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BATCH,
  CALL_ONLY,
  MULTI_SEND,
  SENDER,
  SINGLE,
  STATIC,
  TOKEN,
  ZERO_ADDRESS,
  callDecodingVectors,
  encodeArguments,
  encodeExecute,
  encodeExecute7579,
  encodeFunction,
  encodeMultiSend,
  encodeSafe,
  packTransaction,
} from '../../../test/support/account-call-data.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { entryPointAt } from '../entry-points/registry.ts';
import type { EntryPointVersion } from '../../shared/schema/user-operation.ts';
import { accountFunctions } from './account-functions.ts';
import { decodeCalls } from './decode-calls.ts';
import type { DecodedCall, Decoding } from './decoding.ts';
import type { DecodeErrorCode } from './decode-error.ts';

/** Cases with two safe outcomes, for which the decoder does not return the one that the vectors prefer. */
const DEVIATIONS: Record<string, Decoding['outcome']> = {
  // Refused: known accounts interpret the mode selector differently.
  'k31/7579-mode-selector-and-payload': 'undecodable',
  'k33/7579-mode-selector-and-payload': 'undecodable',
  'msa/7579-mode-selector-and-payload': 'undecodable',
  // Refused: nested deeper than the limit.
  'safe/hostile-multisend-nested-12': 'undecodable',
  // Decoded without special treatment: the executeUserOp prefix on an account that does not support it, and an
  // account's call to itself.
  'sa7/hostile-executeUserOp-prefix-unsupported': 'decoded',
  'cb/hostile-executeWithoutChainIdValidation-forbidden': 'decoded',
  // Decoded as a plain transfer to address zero, which no policy that limits targets sponsors.
  'e78/hostile-7821-zero-target': 'decoded',
};

/** Account functions that the vectors do not cover; decode-calls.families.test.ts tests them. */
const OTHER_FUNCTIONS = [
  'execute((address,uint256,bytes))',
  'setupSafe((address,address[],uint256,address,bytes,address,(address,bytes)[],bytes))',
];

const decode = (callData: Hex, entryPointVersion: EntryPointVersion = '0.7') =>
  decodeCalls(callData, { sender: SENDER, entryPointVersion });
const errorOf = (callData: Hex, version?: EntryPointVersion): DecodeErrorCode | 'decoded' => {
  const decoding = decode(callData, version);
  return decoding.outcome === 'undecodable' ? decoding.code : 'decoded';
};
const vectorOf = (caseId: string) => {
  const vector = callDecodingVectors.cases.find((candidate) => candidate.id === caseId);
  if (!vector) throw new Error(`no case ${caseId}`);
  return vector;
};
const callDataOf = (caseId: string) => vectorOf(caseId).callData;
const lower = (address: Address) => address.toLowerCase();

describe('call decoding vectors', () => {
  it.each(callDecodingVectors.cases)('what $id runs on chain is what the contracts rule sees', (vector) => {
    const entryPointVersion = entryPointAt(vector.entryPoint)?.version;
    if (!entryPointVersion) throw new Error(`unknown EntryPoint ${vector.entryPoint}`);
    const decoding = decodeCalls(vector.callData, { sender: vector.sender, entryPointVersion });

    const expected = DEVIATIONS[vector.id] ?? vector.outcome;
    expect(vector.acceptable ?? [vector.outcome]).toContain(expected);
    expect(decoding.outcome).toBe(expected);
    if (decoding.outcome === 'undecodable') return;
    if (vector.calls) {
      expect(decoding.calls).toEqual(
        vector.calls.map((call) => ({ ...call, target: lower(call.target), value: BigInt(call.value) })),
      );
    }
    expect(decoding.via).toEqual((vector.via ?? []).map(({ target }) => lower(target)));
  });

  it('every account function the vectors were checked against has the selector of its signature', () => {
    for (const { selector, signature } of callDecodingVectors.selectors) {
      expect(id(signature).slice(0, 10)).toBe(selector);
      const unwrappedElsewhere = /^(multiSend|executeUserOp)\((bytes|\(address)/.test(signature);
      expect(accountFunctions.has(selector)).toBe(!unwrappedElsewhere);
    }
    const checked = new Set([
      ...callDecodingVectors.selectors.map(({ selector }) => selector),
      ...OTHER_FUNCTIONS.map((signature) => id(signature).slice(0, 10)),
    ]);
    expect([...accountFunctions.keys()].filter((known) => !checked.has(known))).toEqual([]);
  });

  it('a Coinbase item the account refuses is shown as a call of the account to itself', () => {
    const { callData, sender } = vectorOf('cb/hostile-executeWithoutChainIdValidation-forbidden');
    expect(decodeCalls(callData, { sender, entryPointVersion: '0.6' })).toMatchObject({
      outcome: 'decoded',
      calls: [{ operation: 'call', target: lower(sender) }],
    });
  });
});

describe('the operator sees which trick was tried', () => {
  const nestMultiSend = (depth: number): Hex => {
    let data = encodeMultiSend(packTransaction(0, TOKEN, '0x'));
    for (let level = 1; level < depth; level++) data = encodeMultiSend(packTransaction(1, MULTI_SEND, data));
    return encodeSafe(MULTI_SEND, data, 1);
  };
  const tuples = (count: number, target: Address = TOKEN) =>
    encodeFunction(
      'executeBatch((address,uint256,bytes)[])',
      ['(address,uint256,bytes)[]'],
      [Array.from({ length: count }, () => [target, 0, '0x'])],
    );

  const cases: [string, DecodeErrorCode | 'decoded', Hex, EntryPointVersion?][] = [
    ['three bytes', 'UNKNOWN_SELECTOR', '0xb61d27'],
    ['an unknown function', 'UNKNOWN_SELECTOR', '0xdeadbeef'],
    ['executeUserOp for EntryPoint v0.6', 'UNKNOWN_SELECTOR', callDataOf('msa/executeUserOp-prefix'), '0.6'],
    ['executeUserOp with nothing behind it', 'UNKNOWN_SELECTOR', '0x8dd7712f'],
    ['multiSend on the account itself', 'UNKNOWN_SELECTOR', encodeMultiSend(packTransaction(0, TOKEN, '0x'))],
    ['another function of MultiSend', 'UNKNOWN_SELECTOR', encodeSafe(MULTI_SEND, '0x12345678', 1)],
    ['a delegatecall of MultiSend without data', 'UNKNOWN_SELECTOR', encodeSafe(MULTI_SEND, '0x', 1)],
    ['text that is not hex', 'MALFORMED_CALL_DATA', '0xb61d27f6zz'],
    [
      'digits of another script',
      'MALFORMED_CALL_DATA',
      `${encodeExecute(TOKEN, 0n, '0x').slice(0, -2)}\u0130\u0130` as Hex,
    ],
    ['hex without 0x', 'MALFORMED_CALL_DATA', encodeExecute(TOKEN, 0n, '0x').slice(2) as Hex],
    ['half a byte', 'MALFORMED_CALL_DATA', '0xb61d27f60'],
    ['a dirty address', 'MALFORMED_CALL_DATA', callDataOf('sa6/hostile-dirty-address')],
    ['a truncated call', 'MALFORMED_CALL_DATA', callDataOf('sa6/hostile-truncated-in-data')],
    ['an operation with high bits', 'MALFORMED_CALL_DATA', callDataOf('k21/hostile-op-256')],
    ['MultiSend data that overruns', 'MALFORMED_CALL_DATA', callDataOf('safe/hostile-multisend-data-overrun')],
    ['a second executeUserOp', 'NESTED_EXECUTE_USER_OP', callDataOf('msa/hostile-executeUserOp-nested')],
    ['calls behind the bytes', 'HIDDEN_CALLS', callDataOf('k31/hostile-7579-batch-hidden-behind-the-bytes')],
    ['operation 2', 'UNKNOWN_EXECUTION_MODE', callDataOf('safe/hostile-operation-2')],
    ['MultiSend operation 2', 'UNKNOWN_EXECUTION_MODE', callDataOf('safe/hostile-multisend-operation-2')],
    [
      'a delegatecall in MultiSendCallOnly',
      'UNKNOWN_EXECUTION_MODE',
      encodeSafe(CALL_ONLY, encodeMultiSend(packTransaction(1, TOKEN, '0x')), 1),
    ],
    ['an unknown call type', 'UNKNOWN_EXECUTION_MODE', callDataOf('k31/hostile-7579-unknown-calltype')],
    ['an unknown exec type', 'UNKNOWN_EXECUTION_MODE', callDataOf('k31/hostile-7579-unknown-exectype')],
    ['target zero without data in an ERC-7821 batch', 'decoded', callDataOf('e78/hostile-7821-zero-target')],
    [
      'target zero in a single ERC-7579 call',
      'AMBIGUOUS_TARGET',
      encodeExecute7579(SINGLE, solidityPacked(['address', 'uint256', 'bytes'], [ZERO_ADDRESS, 0, '0x00'])),
    ],
    ['MultiSend four deep', 'decoded', nestMultiSend(4)],
    ['MultiSend five deep', 'NESTED_TOO_DEEP', nestMultiSend(5)],
    ['a batch of 1000', 'decoded', tuples(1000)],
    ['a batch of 1001', 'TOO_MANY_CALLS', tuples(1001)],
    [
      'a MultiSend of 1001',
      'TOO_MANY_CALLS',
      encodeSafe(
        MULTI_SEND,
        encodeMultiSend(...Array.from({ length: 1001 }, () => packTransaction(0, TOKEN, '0x'))),
        1,
      ),
    ],
    [
      'two nested MultiSends of 600',
      'TOO_MANY_CALLS',
      encodeSafe(
        MULTI_SEND,
        encodeMultiSend(
          ...Array.from({ length: 2 }, () =>
            packTransaction(
              1,
              MULTI_SEND,
              encodeMultiSend(...Array.from({ length: 600 }, () => packTransaction(0, TOKEN, '0x'))),
            ),
          ),
        ),
        1,
      ),
    ],
  ];
  it.each(cases)('%s is %s', (_name, error, callData, version) => {
    expect(errorOf(callData, version)).toBe(error);
  });

  it('every refusal comes with one sentence', () => {
    for (const [, error, callData, version] of cases) {
      const decoding = decode(callData, version);
      if (error !== 'decoded')
        expect(decoding).toMatchObject({ detail: expect.stringMatching(/^[A-Z].*\.$/) as string });
    }
  });
});

const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Address => `0x${Buffer.from(bytes).toString('hex')}`)
  .filter((address) => address !== ZERO_ADDRESS);
const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
const calls = fc.array(
  fc.record({ target: addresses, value: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), data: bytes(100) }),
  { maxLength: 8 },
);

describe('well-formed operations of every shape keep their calls', () => {
  const expectCalls = (callData: Hex, expected: Omit<DecodedCall, 'operation'>[]) =>
    expect(decode(callData)).toEqual({
      outcome: 'decoded',
      calls: expected.map((call) => ({ ...call, operation: 'call' })),
      via: [],
    });
  const asTuples = (batch: { target: Address; value: bigint; data: Hex }[]) =>
    batch.map(({ target, value, data }) => [target, value, data]);

  it('one call, by execute and by an ERC-7579 single call', () => {
    fc.assert(
      fc.property(addresses, fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), bytes(300), (target, value, data) => {
        expectCalls(encodeExecute(target, value, data), [{ target, value, data }]);
        const single = solidityPacked(['address', 'uint256', 'bytes'], [target, value, data]);
        expectCalls(encodeExecute7579(SINGLE, single), [{ target, value, data }]);
      }),
    );
  });

  it('batches, by tuples, by arrays and by an ERC-7579 batch', () => {
    fc.assert(
      fc.property(calls, (batch) => {
        const tupleType = ['(address,uint256,bytes)[]'];
        expectCalls(encodeFunction('executeBatch((address,uint256,bytes)[])', tupleType, [asTuples(batch)]), batch);
        expectCalls(encodeExecute7579(BATCH, encodeArguments(tupleType, [asTuples(batch)])), batch);
        const [targets, values, data] = [
          batch.map((c) => c.target),
          batch.map((c) => c.value),
          batch.map((c) => c.data),
        ];
        const three = ['address[]', 'uint256[]', 'bytes[]'];
        expectCalls(encodeFunction('executeBatch(address[],uint256[],bytes[])', three, [targets, values, data]), batch);
        expectCalls(
          encodeFunction('executeBatch(address[],bytes[])', ['address[]', 'bytes[]'], [targets, data]),
          batch.map((call) => ({ ...call, value: 0n })),
        );
      }),
    );
  });
});

describe('an operator is never shown value that does not move', () => {
  const expectWithoutValue = (callData: Hex, operation: DecodedCall['operation']) =>
    expect(decode(callData)).toMatchObject({ outcome: 'decoded', calls: [{ target: TOKEN, value: 0n, operation }] });

  it('delegatecalls of Safe, Kernel v2 and MultiSend, and staticcalls, carry none', () => {
    const types = ['address', 'uint256', 'bytes', 'uint8'];
    for (const name of ['executeUserOp', 'execute']) {
      const callData = encodeFunction(`${name}(${types.join(',')})`, types, [TOKEN, 5, '0x', 1]);
      expectWithoutValue(callData, 'delegatecall');
    }
    expectWithoutValue(encodeSafe(MULTI_SEND, encodeMultiSend(packTransaction(1, TOKEN, '0x', 5n)), 1), 'delegatecall');
    const staticcall = encodeExecute7579(STATIC, solidityPacked(['address', 'uint256'], [TOKEN, 5]));
    expectWithoutValue(staticcall, 'staticcall');
  });
});
