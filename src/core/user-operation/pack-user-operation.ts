import type { Hex } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type {
  PackedUserOperation,
  UserOperation,
  UserOperationV06,
  UserOperationV07,
} from '../../shared/schema/user-operation.ts';
import { digits, toHex, uintDigits } from './hex-digits.ts';

const uint128 = (value: bigint): string => uintDigits(value, 16);

const initCode = ({ factory, factoryData = '0x' }: UserOperationV07): Hex =>
  factory === undefined ? '0x' : toHex(digits(factory), digits(factoryData));

function paymasterAndData(op: UserOperationV07): Hex {
  if (op.paymaster === undefined) return '0x';
  return toHex(
    digits(op.paymaster),
    uint128(op.paymasterVerificationGasLimit ?? 0n),
    uint128(op.paymasterPostOpGasLimit ?? 0n),
    digits(op.paymasterData ?? '0x'),
  );
}

/**
 * The operation in the format of EntryPoint v0.7 and v0.8 (PackedUserOperation of ERC-4337).
 * @throws RangeError if a gas limit or a fee does not fit in uint128: check `fieldOutOfBounds` first
 */
export const packUserOperation = (op: UserOperationV07): PackedUserOperation => ({
  sender: op.sender,
  nonce: op.nonce,
  initCode: initCode(op),
  callData: op.callData,
  accountGasLimits: toHex(uint128(op.verificationGasLimit), uint128(op.callGasLimit)),
  preVerificationGas: op.preVerificationGas,
  gasFees: toHex(uint128(op.maxPriorityFeePerGas), uint128(op.maxFeePerGas)),
  paymasterAndData: paymasterAndData(op),
  signature: op.signature,
});

/** The operation's struct for the contracts of its EntryPoint version. Throws like {@link packUserOperation}. */
export const contractForm = (op: UserOperation): UserOperationV06 | PackedUserOperation =>
  isV06(op) ? op : packUserOperation(op);
