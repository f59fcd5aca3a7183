import { Interface, ZeroHash } from 'ethers';
import { STUB_SIGNATURE } from '../../../core/paymaster-layouts/layout.ts';
import { PACKED_USER_OPERATION_ABI, USER_OPERATION_V06_ABI } from '../../../core/user-operation/abi.ts';
import { packUserOperation } from '../../../core/user-operation/pack-user-operation.ts';
import { isEip7702 } from '../../../core/user-operation/user-op-hash.ts';
import { type Hex, addressKey } from '../../../shared/schema/hex.ts';
import { type UserOperation, isV06 } from '../../../shared/schema/user-operation.ts';

const creatorAbi = new Interface([
  'function createSender(bytes initCode)',
  'function initEip7702Sender(address sender, bytes initCallData)',
]);

const validationAbi = {
  v06: new Interface([`function validateUserOp(${USER_OPERATION_V06_ABI} op, bytes32 userOpHash, uint256 missing)`]),
  packed: new Interface([
    `function validateUserOp(${PACKED_USER_OPERATION_ABI} op, bytes32 userOpHash, uint256 missing)`,
  ]),
};

/** The EntryPoint's call of its SenderCreator to create or initialise the account; `0x` if nothing is to do. */
export const creationCall = (op: UserOperation): Hex => {
  const { sender, initCode } = isV06(op) ? op : packUserOperation(op);
  if (initCode === '0x') return '0x';
  if (!isEip7702(initCode)) return creatorAbi.encodeFunctionData('createSender', [initCode]) as Hex;
  if (initCode.length <= 42) return '0x';
  return creatorAbi.encodeFunctionData('initEip7702Sender', [sender, `0x${initCode.slice(42)}`]) as Hex;
};

/** Adds a dummy signature if the operation has none, for accounts that revert without. */
export const withAnySignature = <Op extends UserOperation>(op: Op): Op =>
  op.signature.length < STUB_SIGNATURE.length ? { ...op, signature: STUB_SIGNATURE } : op;

/** The EntryPoint's call for the account's validation, except for the hash. The signature is its last part. */
export const validationCall = (op: UserOperation): Hex => {
  const form = { ...(isV06(op) ? op : packUserOperation(op)), sender: addressKey(op.sender) };
  const abi = isV06(op) ? validationAbi.v06 : validationAbi.packed;
  return abi.encodeFunctionData('validateUserOp', [form, ZeroHash, 0n]) as Hex;
};
