import { Interface } from 'ethers';
import { expect, test } from 'vitest';
import { EngineError } from '../../../shared/errors.ts';
import type { Hex } from '../../../shared/schema/hex.ts';
import type { UserOperationV07 } from '../../../shared/schema/user-operation.ts';
import { type RpcClient, RpcError } from '../rpc.ts';
import { tryCreation } from './account-creation.ts';

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

test.each<[string, Error, string | undefined]>([
  ['a factory that fails', failedOp('AA13 initCode failed or OOG'), 'AA13'],
  ['another account', failedOp('AA14 initCode must return sender'), 'AA14'],
  ['no account', failedOp('AA15 initCode must create sender'), 'AA15'],
  ['a node that tells it in words alone', new RpcError(-32000, 'execution reverted: AA13 initCode', undefined), 'AA13'],
  ['an account that is there already', failedOp('AA10 sender already constructed'), undefined],
  ['an account without money', failedOp("AA21 didn't pay prefund"), undefined],
  ['an account that reverts in words of its own', failedOp('AA23 reverted: AA13 initCode failed'), undefined],
  ['a dummy signature', failedOp('AA24 signature error'), undefined],
  ['a creation that went well', failedOp('AA90 invalid beneficiary'), undefined],
  ['a revert that says nothing', new RpcError(3, 'execution reverted', '0x'), undefined],
  ['a call that had too little gas', new RpcError(-32000, 'out of gas', undefined), undefined],
])('what %s says of the creation', async (_, answer, aaCode) => {
  expect(await tryCreation(saying(answer), ENTRY_POINT, op)).toBe(aaCode);
});

test('a factory that failed with less gas than the operation gives it may succeed', async () => {
  const dear = { ...op, verificationGasLimit: 29_000_000n };
  expect(await tryCreation(saying(failedOp('AA13 initCode failed or OOG')), ENTRY_POINT, dear)).toBeUndefined();
  expect(await tryCreation(saying(failedOp('AA14 initCode must return sender')), ENTRY_POINT, dear)).toBe('AA14');
});

test.each([
  ['refuses the call', new RpcError(-32005, 'rate limited', undefined)],
  ['cannot be reached', new EngineError('CHAIN_UNREACHABLE', 'away')],
])('a node that %s says nothing of the operation', async (_, answer) => {
  await expect(tryCreation(saying(answer), ENTRY_POINT, op)).rejects.toBe(answer);
});
