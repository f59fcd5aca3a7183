import { Interface, ZeroHash } from 'ethers';
import { STUB_SIGNATURE } from '../../../core/paymaster-layouts/layout.ts';
import { operationCall } from '../../../core/user-operation/abi.ts';
import { contractForm } from '../../../core/user-operation/pack-user-operation.ts';
import { isEip7702 } from '../../../core/user-operation/user-op-hash.ts';
import { type Hex, addressKey } from '../../../shared/schema/hex.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';

const creatorAbi = new Interface([
  'function createSender(bytes initCode)',
  'function initEip7702Sender(address sender, bytes initCallData)',
]);

const validateUserOp = operationCall('validateUserOp(OP op, bytes32 userOpHash, uint256 missing)');

/** The EntryPoint's call to its SenderCreator that creates or initialises the account; `0x` if neither is necessary. */
export const creationCall = (op: UserOperation): Hex => {
  const { sender, initCode } = contractForm(op);
  if (initCode === '0x') return '0x';
  if (!isEip7702(initCode)) return creatorAbi.encodeFunctionData('createSender', [initCode]) as Hex;
  if (initCode.length <= 42) return '0x';
  return creatorAbi.encodeFunctionData('initEip7702Sender', [sender, `0x${initCode.slice(42)}`]) as Hex;
};

/** Adds a dummy signature to an operation without one, because some accounts revert without a signature. */
export const withAnySignature = <Op extends UserOperation>(op: Op): Op =>
  op.signature.length < STUB_SIGNATURE.length ? { ...op, signature: STUB_SIGNATURE } : op;

/**
 * The EntryPoint's call to validate the operation, with a zero hash. The signature is the last part of the calldata.
 */
export const validationCall = (op: UserOperation): Hex =>
  validateUserOp({ ...op, sender: addressKey(op.sender) }, (form) => [form, ZeroHash, 0n]);
