import { Interface } from 'ethers';
import { expect, test } from 'vitest';
import { EngineError } from '../../../shared/errors.ts';
import type { Hex } from '../../../shared/schema/hex.ts';
import type { UserOperationV07 } from '../../../shared/schema/user-operation.ts';
import { type RpcClient, RpcError } from '../rpc.ts';
import { tryAccount } from './account-creation.ts';

const abi = new Interface(['error FailedOp(uint256 opIndex, string reason)']);

const ENTRY_POINT: Hex = `0x${'ee'.repeat(20)}`;
const op: UserOperationV07 = {
  sender: `0x${'5e'.repeat(20)}`,
  nonce: 0n,
  factory: `0x${'fa'.repeat(20)}`,
  callData: '0x12345678',
  callGasLimit: 200_000n,
  verificationGasLimit: 500_000n,
  preVerificationGas: 60_000n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  signature: '0x99',
};

const saying = (answer: Error): RpcClient => ({
  url: 'http://127.0.0.1:1',
  send: () => Promise.reject(answer),
  call: () => Promise.reject(answer),
});
const failedOp = (reason: string): RpcError =>
  new RpcError(3, 'execution reverted', abi.encodeErrorResult('FailedOp', [0n, reason]) as Hex);

const invalidBeneficiary = new RpcError(
  3,
  'execution reverted',
  abi.encodeErrorResult('Error', ['AA90 invalid beneficiary']) as Hex,
);

test.each<[string, Error, string | undefined]>([
  ['a factory that fails', failedOp('AA13 initCode failed or OOG'), 'AA13'],
  ['another account', failedOp('AA14 initCode must return sender'), 'AA14'],
  ['no account', failedOp('AA15 initCode must create sender'), 'AA15'],
  ['a node that tells it in words alone', new RpcError(-32000, 'execution reverted: AA13 initCode', undefined), 'AA13'],
  ['an account that is there already', failedOp('AA10 sender already constructed'), undefined],
  ['an account without money', failedOp("AA21 didn't pay prefund"), undefined],
  ['an account that reverts in words of its own', failedOp('AA23 reverted: AA13 initCode failed'), undefined],
  ['a dummy signature', failedOp('AA24 signature error'), undefined],
  ['a creation that went well', invalidBeneficiary, undefined],
  ['a revert that says nothing', new RpcError(3, 'execution reverted', '0x'), undefined],
  ['a call that had too little gas', new RpcError(-32000, 'out of gas', undefined), undefined],
])('what %s says of the creation', async (_, answer, aaCode) => {
  expect((await tryAccount(saying(answer), ENTRY_POINT, op)).creationFailure).toBe(aaCode);
});

test.each<[string, Error, boolean]>([
  ['who pays', failedOp("AA21 didn't pay prefund"), true],
  ['a dummy signature', failedOp('AA24 signature error'), true],
  ['the beneficiary', invalidBeneficiary, true],
  ['an account that reverts', failedOp('AA23 reverted (or OOG)'), false],
  ['an account that answers nothing', new RpcError(3, 'execution reverted', '0x'), false],
])('whether the account has validated where the EntryPoint stops at %s', async (_, answer, isValidated) => {
  expect((await tryAccount(saying(answer), ENTRY_POINT, op)).isValidated).toBe(isValidated);
});

test('a factory that failed with less gas than the operation gives it may succeed', async () => {
  const dear = { ...op, verificationGasLimit: 29_000_000n };
  const failureOf = async (reason: string) =>
    (await tryAccount(saying(failedOp(reason)), ENTRY_POINT, dear)).creationFailure;
  expect(await failureOf('AA13 initCode failed or OOG')).toBeUndefined();
  expect(await failureOf('AA14 initCode must return sender')).toBe('AA14');
});

test.each([
  ['refuses the call', new RpcError(-32005, 'rate limited', undefined)],
  ['cannot be reached', new EngineError('CHAIN_UNREACHABLE', 'away')],
])('a node that %s says nothing of the operation', async (_, answer) => {
  await expect(tryAccount(saying(answer), ENTRY_POINT, op)).rejects.toBe(answer);
});
