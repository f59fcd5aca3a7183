import type { Rollup } from '../../../shared/chains.ts';
import type { Authority } from '../../../shared/schema/gas-schedule.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import type { PaymasterLayout } from '../../../core/paymaster-layouts/layout.ts';
import type { RpcClient } from '../rpc.ts';
import type { StateOverride } from './eth-call.ts';

/**
 * Returns `paymasterAndData` for a draft of an operation, with the final length for its gas and fees. Nodes, bundlers
 * and the account's code see it before the decision, so it must be unusable elsewhere.
 */
export type Sponsor = (op: UserOperation) => Hex;

export interface GasRequest {
  rpc: RpcClient;
  /** Used instead of `rpc`, if set. */
  bundler: RpcClient | undefined;
  chainId: number;
  /**
   * How the chain charges for layer 1 data; absent if it does not charge. A bundler's estimate already includes the
   * charge.
   */
  rollup?: Rollup | undefined;
  entryPoint: Address;
  /**
   * The operation without a paymaster. Its gas values, if any, are ignored. `signature` is the client's dummy, which is
   * well-formed and has its final length.
   */
  op: UserOperation;
  /** The state of the sender's account before its EIP-7702 authorisation takes effect; if unknown, it does not exist yet. */
  authority?: Authority | undefined;
  sponsor: Sponsor;
  /** A state override in which the paymaster accepts the signature in `sponsor`'s data. */
  state?: StateOverride | undefined;
  layout: Pick<PaymasterLayout, 'entryPointVersion' | 'hasTanks' | 'paymasterGas'>;
  paymaster: Address;
  /** Owner of the tank, if the layout has tanks. */
  fundingWallet?: Address;
}
