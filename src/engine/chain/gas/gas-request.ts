import type { Rollup } from '../../../shared/chains.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import type { PaymasterLayout } from '../../paymaster/layout.ts';
import type { RpcClient } from '../rpc.ts';

/** The gas limits of an operation, in gas. */
export interface GasValues {
  callGasLimit: bigint;
  verificationGasLimit: bigint;
  preVerificationGas: bigint;
  /** From v0.7 on, like the next. */
  paymasterVerificationGasLimit?: bigint;
  paymasterPostOpGasLimit?: bigint;
}

/** Signs for an operation: `paymasterAndData` exactly as in the final one, for the gas and fees it has. */
export type Sponsor = (op: UserOperation) => Hex;

/** An operation whose gas is asked for, and who is to pay it. */
export interface GasRequest {
  rpc: RpcClient;
  /** Asked instead of `rpc` where there is one. */
  bundler: RpcClient | undefined;
  chainId: number;
  /** How the chain charges for its data on layer 1, if it does. A bundler knows that by itself. */
  rollup?: Rollup | undefined;
  entryPoint: Address;
  /**
   * Without a paymaster. Its gas values, if any, are not read; `signature` is the client's dummy, well-formed and of
   * final length.
   */
  op: UserOperation;
  sponsor: Sponsor;
  layout: Pick<PaymasterLayout, 'entryPointVersion' | 'hasTanks' | 'paymasterGas'>;
  paymaster: Address;
  /** Whose tank pays; where the layout has tanks. */
  fundingWallet?: Address;
}
