import type { ChainAction } from '../../api/transactions.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { Withdrawal } from './withdrawal.ts';

export interface ActionCall {
  readonly chainId: number;
  readonly paymasterId: string | null;
  readonly version: string;
  /** Null if the call creates a contract. */
  readonly to: Address | null;
  readonly valueWei: bigint;
  readonly data: Hex;
  /** The address that the contract accepts after the call, or no longer accepts. */
  readonly signer: Address | null;
  /** A description of the action. */
  readonly summary: string;
  /** The amount that a withdrawal takes out of a tank, and the tank; only for withdrawals. */
  readonly withdrawal?: Withdrawal;
}

export type Action<Kind extends ChainAction['kind']> = Extract<ChainAction, { kind: Kind }>;
