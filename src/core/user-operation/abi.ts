import { Interface } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { contractForm } from './pack-user-operation.ts';

/** The UserOperation tuple of EntryPoint v0.6 in a human-readable ABI, with the field names of UserOperationV06. */
export const USER_OPERATION_V06_ABI =
  '(address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit,' +
  ' uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData,' +
  ' bytes signature)';

/** The PackedUserOperation tuple of EntryPoint v0.7 and v0.8, with the field names of PackedUserOperation. */
export const PACKED_USER_OPERATION_ABI =
  '(address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits,' +
  ' uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)';

/**
 * Encodes calls of a function that takes a user operation, with the operation's struct of its EntryPoint version.
 * @param signature with `OP` as a placeholder for the struct's type
 */
export const operationCall = (
  signature: string,
): ((op: UserOperation, values: (form: object) => readonly unknown[]) => Hex) => {
  const name = signature.slice(0, signature.indexOf('('));
  const abiWith = (tuple: string): Interface => new Interface([`function ${signature.replace('OP', tuple)}`]);
  const v06 = abiWith(USER_OPERATION_V06_ABI);
  const packed = abiWith(PACKED_USER_OPERATION_ABI);
  return (op, values) => (isV06(op) ? v06 : packed).encodeFunctionData(name, values(contractForm(op))) as Hex;
};

const handleOps = operationCall('handleOps(OP[] ops, address beneficiary)');

/** Calldata of `handleOps` with this one operation. */
export const handleOpsCall = (op: UserOperation, beneficiary: Address): Hex =>
  handleOps(op, (form) => [[form], beneficiary]);
