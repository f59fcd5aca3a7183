import { describe, expect, it } from 'vitest';
import { parse } from '../../shared/schema/parse.ts';
import { partialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import type { EntryPointVersion } from '../../shared/schema/user-operation.ts';
import { entryPoints } from '../entry-points/registry.ts';
import type { RequestedOperation } from './read-operation.ts';

const FACTORY = `0x${'fa'.repeat(20)}`;
const DELEGATE = `0x${'de'.repeat(20)}`;
const MARKER = `0x7702${'00'.repeat(18)}`;
const base = {
  sender: `0x${'11'.repeat(20)}`,
  nonce: '0x1',
  callData: '0xabcdef',
  maxFeePerGas: '0x5',
  maxPriorityFeePerGas: '7',
  signature: '0x22',
};
const authorization = { chainId: '0x7a69', address: DELEGATE, nonce: 3, yParity: '0x1', r: '0x4', s: '5' };
const word = (value: number): string => `0x${String(value).padStart(64, '0')}`;

const half = (value: number): string => value.toString(16).padStart(32, '0');
/** The packed fields, together with the unpacked fields that they contain. */
const TWICE = {
  initCode: `${FACTORY}01`,
  accountGasLimits: `0x${half(3)}${half(2)}`,
  gasFees: `0x${half(7)}${half(5)}`,
  paymasterAndData: `${FACTORY}${half(8)}${half(9)}99`,
};

const read = (version: EntryPointVersion, fields: Record<string, unknown>): RequestedOperation =>
  entryPoints[version].read(parse(partialUserOperation, { ...base, ...fields }), 31337);

describe('an operation of v0.7 or v0.8 is read', () => {
  const common = {
    sender: base.sender,
    nonce: 1n,
    callData: '0xabcdef',
    maxFeePerGas: 5n,
    maxPriorityFeePerGas: 7n,
    signature: '0x22',
  };
  const gas = { callGasLimit: 2n, verificationGasLimit: 3n, preVerificationGas: 4n };

  it.each<[string, EntryPointVersion, Record<string, unknown>, Record<string, unknown>]>([
    ['without gas and factory', '0.7', {}, {}],
    [
      'with what viem sends for what is not known yet',
      '0.7',
      { factory: null, callGasLimit: '0x', factoryData: '0x' },
      {},
    ],
    ['unpacked', '0.7', { ...gas, callGasLimit: 2, verificationGasLimit: '0x3', preVerificationGas: '4' }, gas],
    ['with a factory', '0.7', { factory: FACTORY, factoryData: '0x01' }, { factory: FACTORY, factoryData: '0x01' }],
    ['with a factory alone', '0.8', { factory: FACTORY }, { factory: FACTORY, factoryData: '0x' }],
    ['with initCode', '0.7', { initCode: `${FACTORY}0102` }, { factory: FACTORY, factoryData: '0x0102' }],
    ['with an empty initCode', '0.8', { initCode: '0x' }, {}],
    [
      'packed',
      '0.8',
      {
        initCode: FACTORY,
        accountGasLimits: `0x${'3'.padStart(32, '0')}${'2'.padStart(32, '0')}`,
        gasFees: `0x${'7'.padStart(32, '0')}${'5'.padStart(32, '0')}`,
        maxFeePerGas: undefined,
        maxPriorityFeePerGas: undefined,
      },
      { factory: FACTORY, factoryData: '0x', callGasLimit: 2n, verificationGasLimit: 3n },
    ],
    [
      "with another paymaster's placeholder, of which only the limits count",
      '0.7',
      { paymaster: FACTORY, paymasterData: '0x99', paymasterAndData: '0x', paymasterPostOpGasLimit: '9' },
      { paymasterPostOpGasLimit: 9n },
    ],
    [
      'with everything said twice in the same way',
      '0.8',
      {
        ...TWICE,
        paymaster: FACTORY,
        paymasterVerificationGasLimit: '8',
        paymasterPostOpGasLimit: '9',
        paymasterData: '0x99',
        factory: FACTORY.toUpperCase().replace('X', 'x'),
        factoryData: '0x01',
        maxPriorityFeePerGas: '7',
        maxFeePerGas: '5',
        callGasLimit: '0x',
        verificationGasLimit: '3',
      },
      {
        factory: FACTORY,
        factoryData: '0x01',
        callGasLimit: 2n,
        verificationGasLimit: 3n,
        paymasterVerificationGasLimit: 8n,
        paymasterPostOpGasLimit: 9n,
      },
    ],
    ['with the EIP-7702 marker in both lengths', '0.8', { factory: '0x7702', initCode: MARKER }, { factory: MARKER }],
    ['with the EIP-7702 marker', '0.8', { factory: '0x7702', factoryData: null }, { factory: '0x7702' }],
    ['with the EIP-7702 marker as initCode', '0.8', { initCode: MARKER }, { factory: MARKER }],
    [
      'with the EIP-7702 marker and data, which stands behind 20 bytes for the contract',
      '0.8',
      { factory: '0x7702', factoryData: '0x01' },
      { factory: MARKER, factoryData: '0x01' },
    ],
  ])('%s (%s)', (_, version, sent, expected) => {
    expect(read(version, sent)).toEqual({ ...common, ...expected });
  });

  it.each(['eip7702Auth', 'authorization'])('with its EIP-7702 authorisation as %s', (name) => {
    const read07 = read('0.7', { [name]: { ...authorization, v: '0x1c' } });
    const expected = { chainId: 31337n, address: DELEGATE, nonce: 3n, yParity: 1n, r: word(4), s: word(5) };
    expect(read07).toEqual({ ...common, eip7702Auth: expected });
  });

  it.each([
    [{ v: 27 }, 0n],
    [{ v: '0x1c' }, 1n],
    [{ v: '1' }, 1n],
    [{ v: 28, yParity: 1 }, 1n],
    [{ v: null, yParity: 1 }, 1n],
  ])('with the parity of the authorisation as %o', (parity, yParity) => {
    const { yParity: _, ...signed } = authorization;
    expect(read('0.7', { eip7702Auth: { ...signed, ...parity } })).toMatchObject({ eip7702Auth: { yParity } });
  });

  it('with an authorisation that is not signed yet, to estimate gas', () => {
    const { chainId, address, nonce } = authorization;
    expect(read('0.8', { eip7702Auth: { chainId, address, nonce } })).toMatchObject({
      eip7702Auth: { yParity: 0n, r: word(0), s: word(0) },
    });
  });
});

describe('an operation that does not fit is refused by name of the field', () => {
  it.each<[EntryPointVersion, Record<string, unknown>, string | RegExp]>([
    ['0.6', { factory: FACTORY }, /^factory should not exist: this DApp uses EntryPoint 0\.6 \(0x5FF1/],
    ['0.6', { accountGasLimits: word(0) }, /^accountGasLimits should not exist/],
    ['0.6', { eip7702Auth: authorization }, /^eip7702Auth should not exist/],
    ['0.7', { factory: '0x7702' }, /^factory 0x7702 should not exist: this DApp uses EntryPoint 0\.7 \(0x0000000071/],
    ['0.7', { initCode: MARKER }, /^factory 0x7702 should not exist/],
    ['0.8', { initCode: '0x1234' }, 'factory must be an EVM address, or 0x7702 for EIP-7702'],
    ['0.8', { factory: '0x1234' }, 'factory must be an EVM address, or 0x7702 for EIP-7702'],
    ['0.8', { factoryData: '0x1234' }, 'factory must be given with factoryData'],
    ['0.7', { factory: DELEGATE, initCode: FACTORY }, /^factory should not differ from what initCode holds/],
    ['0.7', { factoryData: '0x02', initCode: FACTORY }, /^factoryData should not differ from what initCode holds/],
    ['0.7', { gasFees: word(0) }, /^maxPriorityFeePerGas should not differ from what gasFees holds/],
    ['0.7', { accountGasLimits: word(0), callGasLimit: 1 }, /^callGasLimit should not differ from what accountGasLim/],
    ['0.7', { ...TWICE, paymaster: DELEGATE }, /^paymaster should not differ from what paymasterAndData holds/],
    ['0.7', { ...TWICE, paymasterVerificationGasLimit: 9 }, /^paymasterVerificationGasLimit should not differ/],
    ['0.7', { ...TWICE, paymasterPostOpGasLimit: 8 }, /^paymasterPostOpGasLimit should not differ/],
    ['0.7', { ...TWICE, paymasterData: '0x98' }, /^paymasterData should not differ/],
    ['0.7', { paymaster: FACTORY, paymasterAndData: '0x98' }, /^paymaster should not differ/],
    [
      '0.7',
      { eip7702Auth: authorization, authorization: { ...authorization, nonce: 4 } },
      /^authorization should not differ from eip7702Auth/,
    ],
    ['0.7', { gasFees: '0x12', maxFeePerGas: undefined }, 'gasFees must be 32 bytes: two uint128'],
    ['0.7', { maxFeePerGas: undefined }, 'maxFeePerGas must be given'],
    ['0.6', { maxPriorityFeePerGas: undefined }, 'maxPriorityFeePerGas must be given'],
    [
      '0.7',
      { eip7702Auth: { ...authorization, chainId: 1 } },
      'eip7702Auth.chainId must be 31337, or 0 for every chain',
    ],
    ['0.7', { eip7702Auth: { ...authorization, yParity: 27 } }, 'eip7702Auth.yParity must be 0 or 1'],
    ['0.7', { eip7702Auth: { ...authorization, v: 27 } }, 'eip7702Auth.yParity should not differ from v'],
    ['0.7', { eip7702Auth: { ...authorization, v: 37 } }, 'eip7702Auth.v must be 27 or 28'],
    [
      '0.7',
      { eip7702Auth: { ...authorization, yParity: undefined } },
      'eip7702Auth.yParity must be given with a signature',
    ],
    ['0.7', { authorization: { ...authorization, address: '0x7702' } }, 'authorization.address must be an EVM address'],
    ['0.7', { paymasterPostOpGasLimit: 'x' }, /^paymasterPostOpGasLimit must be a 0x hex quantity/],
  ])('%s %o', (version, fields, message) => {
    expect(() => read(version, fields)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    );
  });
});
