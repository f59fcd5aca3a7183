import type { Hex } from '../shared/schema/hex.ts';
import type { UserOperation } from '../shared/schema/user-operation.ts';
import type { StoredRecord } from './stored-record.ts';
import { readableFacts } from './record.ts';
import { fromRpcUserOperation } from './user-operation/rpc-user-operation.ts';
import { entryPointAt } from './entry-points/registry.ts';
import type { PaymasterLayout } from './paymaster-layouts/layout.ts';
import { layouts } from './paymaster-layouts/registry.ts';

/** What is read of a sponsored decision to tell what its operation cost. */
export interface SponsoredTerms {
  readonly entryPoint: string;
  /** As it was signed. */
  readonly paymasterAndData: string;
  /** Wei that were reserved. */
  readonly maxCostWei: bigint;
  /** The operation as it was signed; undefined where it cannot be read. Called only where the contract charges by it. */
  readonly op: () => UserOperation | undefined;
}

/** The operation of a record as it was signed; undefined where this version cannot read it. */
export const signedOperation = (record: StoredRecord): UserOperation | undefined => {
  const facts = readableFacts(record);
  return facts && fromRpcUserOperation(facts.op);
};

/** What the chain tells of the money of a mined operation, in wei. */
export interface MinedCost {
  /** What the EntryPoint took from the paymaster's deposit. */
  readonly actualGasCost: bigint;
  /** What the paymaster contract says that it took from a tank; undefined where it says nothing. */
  readonly deductedWei?: bigint | undefined;
}

/** The layout with tanks that these bytes are of; undefined where they are of none. */
const tankLayoutOf = (entryPoint: string, paymasterAndData: Hex): PaymasterLayout | undefined => {
  const version = entryPointAt(entryPoint)?.version;
  return layouts.find(
    (layout) => layout.hasTanks && layout.entryPointVersion === version && !('misfit' in layout.read(paymasterAndData)),
  );
};

/**
 * What a settled operation counts, in wei: what its tank paid or, for a contract without tanks, what the EntryPoint took.
 * If the contract is not known to have said what it took,
 * all that was reserved counts. It is never more than that.
 */
export const settledCost = (
  { entryPoint, paymasterAndData, maxCostWei, op }: SponsoredTerms,
  { actualGasCost, deductedWei }: MinedCost,
): bigint => {
  const { tankCharge } = tankLayoutOf(entryPoint, paymasterAndData as Hex) ?? {};
  const paid = deductedWei === undefined ? undefined : tankCharge?.(deductedWei, op);
  const cost = tankCharge === undefined ? actualGasCost : (paid ?? maxCostWei);
  return cost < maxCostWei ? cost : maxCostWei;
};
