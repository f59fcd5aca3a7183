import { Interface, concat, getAddress } from 'ethers';
import { describe, expect, test } from 'vitest';
import { entryPoint06 } from '../../core/entry-points/0.6.ts';
import { entryPoint07 } from '../../core/entry-points/0.7.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { biconomy100 } from '../../core/paymaster-layouts/biconomy-1.0.0.ts';
import { biconomy110 } from '../../core/paymaster-layouts/biconomy-1.1.0.ts';
import { STUB_SIGNATURE } from '../../core/paymaster-layouts/layout.ts';
import type { MinedUserOperation } from '../store/settlement-store.ts';
import { USER_OPERATION_V06_ABI } from '../../core/user-operation/abi.ts';
import { sponsoredHashes } from './sponsored-hashes.ts';

const chainId = 31337;
const entryPoint = entryPoint06.address;
const PAYMASTER: Address = `0x${'9f'.repeat(20)}`;
const terms = { chainId, paymaster: PAYMASTER, validUntil: 300, validAfter: 0, fundingWallet: PAYMASTER };
const abi = new Interface([`function handleOps(${USER_OPERATION_V06_ABI}[] ops, address beneficiary)`]);

const unsigned: UserOperationV06 = {
  sender: getAddress(`0x${'ac'.repeat(20)}`) as Address,
  nonce: (5n << 64n) + 7n,
  initCode: '0x',
  callData: '0x12345678',
  callGasLimit: 1n,
  verificationGasLimit: 2n,
  preVerificationGas: 3n,
  maxFeePerGas: 4n,
  maxPriorityFeePerGas: 5n,
  paymasterAndData: '0x',
  signature: '0xabcd',
};
const sponsored = { ...unsigned, paymasterAndData: biconomy110.encode(unsigned, terms, STUB_SIGNATURE) };
const hashOf = (op: UserOperationV06): Hex => entryPoint06.hash(op, { chainId, entryPoint });
const behind = (op: UserOperationV06, bytes: Hex): UserOperationV06 => ({
  ...op,
  paymasterAndData: concat([op.paymasterAndData, bytes]) as Hex,
});
const inputOf = (...ops: UserOperationV06[]): Hex => abi.encodeFunctionData('handleOps', [ops, PAYMASTER]) as Hex;
const mined = (op: UserOperationV06): MinedUserOperation =>
  ({ ...op, userOpHash: hashOf(op), entryPoint, paymaster: PAYMASTER }) as unknown as MinedUserOperation;

describe('an operation with bytes behind its signed data is found to be the sponsored one', () => {
  test.each([biconomy100, biconomy110])('for $title', (layout) => {
    const op = { ...unsigned, paymasterAndData: layout.encode(unsigned, terms, STUB_SIGNATURE) };
    for (const bytes of ['0x00', `0x${'00'.repeat(32)}`, op.paymasterAndData] as Hex[]) {
      const altered = behind(op, bytes);
      expect(sponsoredHashes(inputOf(altered), mined(altered), chainId)).toContain(hashOf(op));
    }
  });

  test('among the others of its bundle, and in the input of whatever bundles it', () => {
    const altered = behind(sponsored, '0x00');
    const others = [behind({ ...sponsored, nonce: 1n }, '0x00'), behind({ ...sponsored, callGasLimit: 9n }, '0x00')];
    const inputs = [inputOf(others[0]!, altered, others[1]!), concat(['0xabcdef', inputOf(altered), '0x12']) as Hex];
    for (const input of inputs) expect(sponsoredHashes(input, mined(altered), chainId)).toContain(hashOf(sponsored));
  });
});

describe('nothing is found', () => {
  const altered = behind(sponsored, '0x00');

  test('by another operation of the same sender and nonce, though the input shows it', () => {
    const decoy = behind({ ...sponsored, callGasLimit: 9n }, '0x00');
    expect(sponsoredHashes(inputOf(decoy), mined(altered), chainId)).toEqual([]);
  });

  test('by the same operation on another chain or EntryPoint', () => {
    expect(sponsoredHashes(inputOf(altered), mined(altered), 1)).toEqual([]);
    const elsewhere = { ...mined(altered), entryPoint: entryPoint07.address };
    expect(sponsoredHashes(inputOf(altered), elsewhere, chainId)).toEqual([]);
  });

  test('in an operation that seems unaltered', () => {
    const shorter = { ...sponsored, paymasterAndData: sponsored.paymasterAndData.slice(0, 44) as Hex };
    expect(sponsoredHashes(inputOf(shorter), mined(shorter), chainId)).toEqual([]);
    expect(sponsoredHashes(inputOf(sponsored), mined(sponsored), chainId)).not.toContain(hashOf(sponsored));
  });

  test.each<[string, Hex]>([
    ['empty', '0x'],
    ['cut off', inputOf(altered).slice(0, 600) as Hex],
    ['scrambled', inputOf(altered).replaceAll('0', 'f') as Hex],
  ])('in an input that is %s', (_what, input) => {
    expect(sponsoredHashes(input, mined(altered), chainId)).toEqual([]);
  });

  test('behind more decoys than an honest bundle has, soon', () => {
    const head = inputOf(altered).slice(2 + 8 + 3 * 64 + 64, 2 + 8 + 3 * 64 + 64 + 128);
    const input = concat([`0x${head.repeat(2_000)}`, inputOf(altered)]) as Hex;
    expect(input.indexOf(head)).toBeGreaterThan(0);
    expect(sponsoredHashes(input, mined(altered), chainId)).toEqual([]);
  });
});
