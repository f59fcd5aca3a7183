import { z } from 'zod';
import type { Address, Hex } from './hex.ts';

/** The EntryPoint versions that Gasdesk supports, oldest first. `core/entry-points` describes each of them. */
export const entryPointVersion = z.enum(['0.6', '0.7', '0.8', '0.9']);
export type EntryPointVersion = z.output<typeof entryPointVersion>;

/** Gas limits that operations have in every version, and that estimation may fill in. */
export const gasLimits = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const;

/** A user operation for EntryPoint v0.6 with all fields. Gas is in gas units, fees are in wei per gas. */
export interface UserOperationV06 {
  sender: Address;
  nonce: bigint;
  initCode: Hex;
  callData: Hex;
  callGasLimit: bigint;
  verificationGasLimit: bigint;
  preVerificationGas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  paymasterAndData: Hex;
  signature: Hex;
}

/**
 * An EIP-7702 authorisation, by which the sender delegates to a contract. It may be unsigned while gas is estimated.
 */
export interface Eip7702Authorization {
  /** 0 if it is valid on every chain. */
  chainId: bigint;
  /** The contract that the sender delegates to. */
  address: Address;
  nonce: bigint;
  yParity: bigint;
  /** 32 bytes, like `s`. */
  r: Hex;
  s: Hex;
}

/**
 * A user operation for EntryPoint v0.7 or later, with the fields of JSON-RPC. Gas is in gas units, fees are in wei per
 * gas. Without `factory`, the account already exists; without `paymaster`, it pays for itself.
 */
export interface UserOperationV07 {
  sender: Address;
  nonce: bigint;
  /** An address, or, from v0.8 on, the EIP-7702 marker, which may be as short as `0x7702`. */
  factory?: Hex;
  factoryData?: Hex;
  callData: Hex;
  callGasLimit: bigint;
  verificationGasLimit: bigint;
  preVerificationGas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  paymaster?: Address;
  paymasterVerificationGasLimit?: bigint;
  paymasterPostOpGasLimit?: bigint;
  paymasterData?: Hex;
  signature: Hex;
  /** Part of the bundle's transaction, not of the operation (ERC-7769). */
  eip7702Auth?: Eip7702Authorization;
}

/** A user operation for any EntryPoint version. Only v0.6 has `initCode`. */
export type UserOperation = UserOperationV06 | UserOperationV07;

export const isV06 = <V06 extends Pick<UserOperationV06, 'initCode'>>(op: V06 | { factory?: Hex }): op is V06 =>
  'initCode' in op;

/** The packed struct in which the contracts of EntryPoint v0.7 and later take a user operation. */
export interface PackedUserOperation {
  sender: Address;
  nonce: bigint;
  initCode: Hex;
  callData: Hex;
  /** 32 bytes: uint128 verificationGasLimit, uint128 callGasLimit. */
  accountGasLimits: Hex;
  preVerificationGas: bigint;
  /** 32 bytes: uint128 maxPriorityFeePerGas, uint128 maxFeePerGas. */
  gasFees: Hex;
  paymasterAndData: Hex;
  signature: Hex;
}
