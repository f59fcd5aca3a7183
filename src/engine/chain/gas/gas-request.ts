import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../../shared/schema/user-operation.ts';
import type { PaymasterLayout } from '../../paymaster/layout.ts';
import type { RpcClient } from '../rpc.ts';

/** The gas limits of an operation, in gas. */
export interface GasValues {
  callGasLimit: bigint;
  verificationGasLimit: bigint;
  preVerificationGas: bigint;
}

/** An operation whose gas is asked for, and who is to pay it. */
export interface GasRequest {
  rpc: RpcClient;
  /** Asked instead of `rpc` where there is one. */
  bundler: RpcClient | undefined;
  entryPoint: Address;
  /** Its gas values, if any, are not read; `signature` is the client's dummy, well-formed and of final length. */
  op: UserOperationV06;
  /** `paymasterAndData` of an operation exactly as in the final one: signed for the gas and fees it has. */
  sponsor: (op: UserOperationV06) => Hex;
  layout: PaymasterLayout;
  paymaster: Address;
  /** Whose tank pays; where the layout has tanks. */
  fundingWallet?: Address;
}
