import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { PartialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import type { UserOperation, UserOperationV06, UserOperationV07 } from '../../shared/schema/user-operation.ts';
import type { Work } from '../gas-schedules/work.ts';
import type { EntryPointGas } from '../user-operation/entry-point-gas.ts';
import type { OperationTarget, RequestedOperation } from '../user-operation/read-operation.ts';
import type { UserOpHashDomain } from '../user-operation/user-op-hash.ts';
import type { AaCodes } from './aa-codes.ts';

/** The contracts in EntryPoint packages, by artifact name. The names of v0.6 artifacts contain no version. */
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
  | 'Simple7702Account-0.8'
  | 'EntryPoint-0.9'
  | 'EntryPointSimulations-0.9'
  | 'SimpleAccount-0.9'
  | 'SimpleAccountFactory-0.9'
  | 'Simple7702Account-0.9';

/** Everything that differs between EntryPoint versions. */
export interface EntryPoint extends OperationTarget, EntryPointGas {
  /** Address of the canonical contract, the same on every chain (eth-infinitism/account-abstraction). */
  readonly address: Address;
  /**
   * The contract's artifact, and the salt with which the deterministic deployer creates it at its address. Without a
   * salt, the artifact is a different build from the contract on public chains, whose creation code is in no package.
   */
  readonly deployment: { readonly artifact: EntryPointArtifact; readonly salt?: Hex };
  /** The factory of SimpleAccount for it, and its address on public chains; without an address, it is on none. */
  readonly accountFactory: { readonly artifact: EntryPointArtifact; readonly address?: Address };
  /**
   * The same contract with an added `simulateHandleOp`, for state overrides. Absent if the contract itself has that
   * function.
   */
  readonly simulations?: EntryPointArtifact;
  /** True if the EntryPoint takes packed operations, which have separate gas limits for the paymaster's calls. */
  readonly isPacked: boolean;
  /** Fields that an operation has even if it creates no account and has no paymaster. */
  readonly emptyFields: Pick<UserOperationV06, 'initCode' | 'paymasterAndData'> | Pick<UserOperationV07, 'factory'>;
  /**
   * True if the EntryPoint ignores the factory of an operation whose account already exists. Other EntryPoints reject
   * such an operation (AA10).
   */
  readonly ignoresCreationOfExisting: boolean;
  /** True if the EntryPoint's hash does not cover a paymaster signature at the end of `paymasterAndData`. */
  readonly leavesOutSuffix: boolean;
  /**
   * True if the EntryPoint reads a validity window as block numbers when both of its ends are above 2^47. The lower 47
   * bits are the numbers. Other EntryPoints read such ends as times in the far future.
   */
  readonly takesBlockRanges: boolean;
  /** True if it calls the account's `executeUserOp` when callData begins with that selector. */
  readonly callsExecuteUserOp: boolean;
  /**
   * The work that the lowest sufficient `verificationGasLimit` covers: validating the first operation of an account that
   * checks nothing. On v0.6, the limit also covers the validation by the paymaster.
   */
  readonly leastVerification: Work;
  readonly aaCodes: AaCodes;
  /** The fields with which an operation creates its account. */
  readonly creation: (
    factory: Address,
    factoryData: Hex,
  ) => Pick<UserOperationV06, 'initCode'> | Required<Pick<UserOperationV07, 'factory' | 'factoryData'>>;
  /**
   * Converts a client's operation to the format of this EntryPoint.
   * @throws EngineError `VALIDATION`, which names the field that is missing, contradicted or belongs to another
   * EntryPoint version
   */
  readonly read: (partial: PartialUserOperation, chainId: number) => RequestedOperation;
  /**
   * The result of the EntryPoint's `getUserOpHash`, which ignores `signature`.
   * @throws Error for an operation in another format, and for an EIP-7702 operation without the required delegate;
   * RangeError if `packUserOperation` throws it
   */
  readonly hash: (op: UserOperation, domain: UserOpHashDomain) => Hex;
}
