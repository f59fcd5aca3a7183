import { z } from 'zod';
import type { Address, Hex } from './hex.ts';

/** The versions of the EntryPoint that Gasdesk knows, the oldest first. What each is stands in `core/entry-points`. */
export const entryPointVersion = z.enum(['0.6', '0.7', '0.8']);
/** One of them. */
export type EntryPointVersion = z.output<typeof entryPointVersion>;

/** Gas limits that operations of every version have, and that estimation may fill in. */
export const gasLimits = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const;

/** A user operation of EntryPoint v0.6 with every field set. Gas in gas units, fees in wei per gas. */
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
 * An authorisation of EIP-7702, by which the sender adopts a contract's code. It may be unsigned during gas estimation.
 */
export interface Eip7702Authorization {
  /** 0: valid on every chain. */
  chainId: bigint;
  /** The contract whose code the sender adopts. */
  address: Address;
  nonce: bigint;
  yParity: bigint;
  /** 32 bytes, like `s`. */
  r: Hex;
  s: Hex;
}

/**
 * A user operation of EntryPoint v0.7 or v0.8 in its JSON-RPC form. Gas in gas units, fees in wei per gas. Without
 * `factory` the account already exists; without `paymaster` it pays for itself.
 */
export interface UserOperationV07 {
  sender: Address;
  nonce: bigint;
  /** An address, or on v0.8 the EIP-7702 marker, which may be as short as `0x7702`. */
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
  /** Sent in the bundle's transaction, not in the operation (ERC-7769). */
  eip7702Auth?: Eip7702Authorization;
}

/** A user operation of any EntryPoint version; only v0.6 has `initCode`. */
export type UserOperation = UserOperationV06 | UserOperationV07;

export const isV06 = <V06 extends Pick<UserOperationV06, 'initCode'>>(op: V06 | { factory?: Hex }): op is V06 =>
  'initCode' in op;

/** The packed form in which the contracts of EntryPoint v0.7 and v0.8 take a user operation. */
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
