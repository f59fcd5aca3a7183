import type { Rollup } from '../../../shared/chains.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import type { PaymasterLayout } from '../../../core/paymaster-layouts/layout.ts';
import type { RpcClient } from '../rpc.ts';
import type { StateOverride } from './eth-call.ts';

/**
 * Signs a draft of an operation: `paymasterAndData` of the length of the final one, for the gas and fees it has. Nodes,
 * bundlers and the account's own code see it before anything is decided, so it must be good for nothing.
 */
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
  /** What is changed about the chain so that its paymaster accepts what `sponsor` signs. */
  state?: StateOverride | undefined;
  layout: Pick<PaymasterLayout, 'entryPointVersion' | 'hasTanks' | 'paymasterGas'>;
  paymaster: Address;
  /** Whose tank pays; where the layout has tanks. */
  fundingWallet?: Address;
}
