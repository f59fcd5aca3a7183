import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { PartialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import type { UserOperation, UserOperationV06, UserOperationV07 } from '../../shared/schema/user-operation.ts';
import type { EntryPointGas } from '../user-operation/entry-point-gas.ts';
import type { OperationTarget, RequestedOperation } from '../user-operation/read-operation.ts';
import type { UserOpHashDomain } from '../user-operation/user-op-hash.ts';
import type { AaCodes } from './aa-codes.ts';

/** The contracts of EntryPoint packages, by the names of their artifacts. Those of v0.6 have no version in their name. */
export type EntryPointArtifact =
  | 'EntryPoint'
  | 'SimpleAccount'
  | 'SimpleAccountFactory'
  | 'EntryPoint-0.7'
  | 'EntryPointSimulations-0.7'
  | 'SimpleAccount-0.7'
  | 'SimpleAccountFactory-0.7'
  | 'EntryPoint-0.8'
  | 'EntryPointSimulations-0.8'
  | 'SimpleAccount-0.8'
  | 'SimpleAccountFactory-0.8'
  | 'Simple7702Account-0.8';

/** Everything in which a version of the EntryPoint differs from the others. */
export interface EntryPoint extends OperationTarget, EntryPointGas {
  /** Of the canonical contract, at the same address on every chain (eth-infinitism/account-abstraction). */
  readonly address: Address;
  /** Puts the code of its package at its address, by the deterministic deployer. */
  readonly deployment: { readonly artifact: EntryPointArtifact; readonly salt: Hex };
  /** The same contract with `simulateHandleOp` added, for state overrides; absent if it has that function itself. */
  readonly simulations?: EntryPointArtifact;
  /** True: its contracts take packed operations, and a paymaster's calls have gas limits of their own. */
  readonly isPacked: boolean;
  /** Fields that an operation has even if it creates no account and has no paymaster. */
  readonly emptyFields: Pick<UserOperationV06, 'initCode' | 'paymasterAndData'> | Pick<UserOperationV07, 'factory'>;
  /** True: it calls `executeUserOp` of an account if callData begins with that selector. */
  readonly callsExecuteUserOp: boolean;
  /** Just enough `verificationGasLimit` for an account that checks nothing and, on v0.6, for the paymaster as well. */
  readonly leastVerificationGas: bigint;
  readonly aaCodes: AaCodes;
  /** The fields that make an operation create its account. */
  readonly creation: (
    factory: Address,
    factoryData: Hex,
  ) => Pick<UserOperationV06, 'initCode'> | Required<Pick<UserOperationV07, 'factory' | 'factoryData'>>;
  /**
   * Converts a client's operation to the form of this EntryPoint.
   * @throws EngineError `VALIDATION`, which names the field that is missing, contradicted or of another EntryPoint
   */
  readonly read: (partial: PartialUserOperation, chainId: number) => RequestedOperation;
  /**
   * What its `getUserOpHash` returns; `signature` is not part of it.
   * @throws Error for an operation of another form, and for one of EIP-7702 without the delegate it needs; RangeError
   * if `packUserOperation` throws it
   */
  readonly hash: (op: UserOperation, domain: UserOpHashDomain) => Hex;
}
