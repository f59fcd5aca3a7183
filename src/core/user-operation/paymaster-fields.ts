import type { Address, Hex } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { digits } from './hex-digits.ts';

/**
 * The gas limits of a paymaster's calls from v0.7 on, under the operation's field names, so that they can be spread
 * into an operation.
 */
export interface PaymasterGas {
  readonly paymasterVerificationGasLimit: bigint;
  readonly paymasterPostOpGasLimit: bigint;
}

/** `paymasterAndData` of v0.7 and v0.8, split into the operation's fields as in JSON-RPC. */
export interface PaymasterFields extends PaymasterGas {
  readonly paymaster: Address;
  readonly paymasterData: Hex;
}

/** Splits a packed `paymasterAndData` of v0.7 or v0.8 into the operation's fields. */
export const splitPaymasterAndData = (paymasterAndData: Hex): PaymasterFields => {
  const text = digits(paymasterAndData);
  return {
    paymaster: `0x${text.slice(0, 40)}`,
    paymasterVerificationGasLimit: BigInt(`0x${text.slice(40, 72)}`),
    paymasterPostOpGasLimit: BigInt(`0x${text.slice(72, 104)}`),
    paymasterData: `0x${text.slice(104)}`,
  };
};

/** The operation with this `paymasterAndData`, in the format of its EntryPoint version. */
export const withPaymasterAndData = <Op extends UserOperation>(op: Op, paymasterAndData: Hex): Op =>
  isV06(op) ? { ...op, paymasterAndData } : { ...op, ...splitPaymasterAndData(paymasterAndData) };
