import type { Address, Hex } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { digits } from './hex-digits.ts';

/**
 * The limits of a paymaster's own calls from v0.7 on, by the operation's names for them, so that they spread into it.
 */
export interface PaymasterGas {
  readonly paymasterVerificationGasLimit: bigint;
  readonly paymasterPostOpGasLimit: bigint;
}

/** `paymasterAndData` of v0.7 and v0.8 as the operation's own fields, the form of JSON-RPC. */
export interface PaymasterFields extends PaymasterGas {
  readonly paymaster: Address;
  readonly paymasterData: Hex;
}

/** Cuts a packed `paymasterAndData` of v0.7 or v0.8 into the operation's fields. */
export const splitPaymasterAndData = (paymasterAndData: Hex): PaymasterFields => {
  const text = digits(paymasterAndData);
  return {
    paymaster: `0x${text.slice(0, 40)}`,
    paymasterVerificationGasLimit: BigInt(`0x${text.slice(40, 72)}`),
    paymasterPostOpGasLimit: BigInt(`0x${text.slice(72, 104)}`),
    paymasterData: `0x${text.slice(104)}`,
  };
};

/** The operation with a layout's data, in the form of its EntryPoint generation. */
export const withPaymasterAndData = <Op extends UserOperation>(op: Op, paymasterAndData: Hex): Op =>
  isV06(op) ? { ...op, paymasterAndData } : { ...op, ...splitPaymasterAndData(paymasterAndData) };
