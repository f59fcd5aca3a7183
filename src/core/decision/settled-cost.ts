import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { StoredRecord } from './stored-record.ts';
import { readableFacts } from './record.ts';
import { fromRpcUserOperation } from '../user-operation/rpc-user-operation.ts';
import { entryPointAt } from '../entry-points/registry.ts';
import type { PaymasterLayout } from '../paymaster-layouts/layout.ts';
import { layouts } from '../paymaster-layouts/registry.ts';

/** The parts of a sponsored decision that determine the cost of its operation. */
export interface SponsoredTerms {
  readonly entryPoint: string;
  /** The `paymasterAndData` that was signed. */
  readonly paymasterAndData: string;
  /** The reserved amount in wei. */
  readonly maxCostWei: bigint;
  /**
   * The operation as it was signed; undefined if it cannot be read. Called only if the contract's charge depends on it.
   */
  readonly op: () => UserOperation | undefined;
}

/** The operation in a record as it was signed; undefined if this version cannot read it. */
export const signedOperation = (record: StoredRecord): UserOperation | undefined => {
  const facts = readableFacts(record);
  return facts && fromRpcUserOperation(facts.op);
};

/** Costs of a mined operation in wei, as reported by events on chain. */
export interface MinedCost {
  /** What the EntryPoint took from the paymaster's deposit. */
  readonly actualGasCost: bigint;
  /** What the paymaster contract reports that it took from a tank; undefined if it reports nothing. */
  readonly deductedWei?: bigint | undefined;
}

/** The layout with tanks that `paymasterAndData` matches; undefined if none exists. */
const tankLayoutOf = (entryPoint: string, paymasterAndData: Hex): PaymasterLayout | undefined => {
  const version = entryPointAt(entryPoint)?.version;
  return layouts.find(
    (layout) => layout.hasTanks && layout.entryPointVersion === version && !('misfit' in layout.read(paymasterAndData)),
  );
};

/**
 * What a settled operation counts, in wei: what its tank paid or, for a contract without tanks, what the EntryPoint
 * took. If it is not certain that the contract reported its charge, the whole reservation counts. The result never
 * exceeds the reservation.
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
