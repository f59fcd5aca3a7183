import { above } from '../../shared/bigints.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { ruleInput } from '../decision/rule-input.ts';
import { entryPoints } from '../entry-points/registry.ts';
import type { Facts } from '../facts/facts.ts';
import { authorizationGas } from '../gas-schedules/authorization.ts';
import type { GasSchedule } from '../gas-schedules/gas-schedule.ts';
import { gasSchedules } from '../gas-schedules/schedules.ts';
import type { Policy } from '../policy/policy.ts';
import { executionGas } from '../user-operation/execution-gas.ts';
import { bundleGas, isFirstOfKey } from '../user-operation/bundle-gas.ts';
import { toRpcUserOperation } from '../user-operation/rpc-user-operation.ts';

/** What an operation needs more under another gas schedule, by what it is for. In gas; negative: less. */
export interface ExtraGas {
  /** The transaction and its data. */
  readonly data: bigint;
  /** The EIP-7702 authorisation. */
  readonly authorization: bigint;
  /** The account that the operation creates, and the place for its nonce. */
  readonly account: bigint;
}

/** Code of the smallest proxy, in bytes (EIP-1167), which keeps its owner in one storage slot. */
const PROXY_BYTES = 45n;

const createsAccount = (op: UserOperation): boolean =>
  isV06(op) ? op.initCode !== '0x' : op.factory !== undefined && op.factoryData !== undefined;

/** The gas of creating the smallest account. */
const creationGas = ({ create, codeByte, newSlot }: GasSchedule): bigint => create + PROXY_BYTES * codeByte + newSlot;

/** The gas for the account and its nonce. */
const accountGas = (schedule: GasSchedule, op: UserOperation): bigint =>
  (createsAccount(op) ? creationGas(schedule) : 0n) + (isFirstOfKey(op) ? schedule.newSlot : 0n);

/** If the state of an authorisation's account is unknown, the account counts as existing if it has signed before. */
const authorityOf = ({ authority }: Facts, op: UserOperation): Facts['authority'] => {
  if (authority !== undefined || isV06(op) || op.eip7702Auth === undefined) return authority;
  return op.eip7702Auth.nonce === 0n ? 'new' : 'existing';
};

/** An operation as its client would have sent it under another gas schedule. */
export interface Rehearsed {
  readonly facts: Facts;
  readonly extra: ExtraGas;
  /** Wei per gas that the operation pays. */
  readonly pricePerGasWei: bigint;
}

const priceOf = ({ maxFeePerGas, maxPriorityFeePerGas }: UserOperation, { chain }: Facts): bigint => {
  const price = maxPriorityFeePerGas + BigInt(chain?.baseFeeWei ?? maxFeePerGas);
  return price < maxFeePerGas ? price : maxFeePerGas;
};

/**
 * The facts of a decision as they would have been under another gas schedule: `preVerificationGas` and
 * `verificationGasLimit` change by what follows from the operation itself. The operation is assumed to use all of its
 * limits, so the change is the least there can be.
 */
export const underSchedule = (facts: Facts, policy: Policy, schedule: GasSchedule): Rehearsed => {
  const { op, layout } = ruleInput(facts, policy);
  const before = gasSchedules[facts.gasSchedule];
  const authority = authorityOf(facts, op);
  const entryPoint = entryPoints[layout.entryPointVersion];
  const bundle = (under: GasSchedule): bigint =>
    bundleGas({ entryPoint, schedule: under, authority }, op, executionGas(op));
  const authorization = authorizationGas(schedule, op, authority) - authorizationGas(before, op, authority);
  const bundleExtra = bundle(schedule) - bundle(before);
  const account = accountGas(schedule, op) - accountGas(before, op);
  const changed = {
    ...op,
    preVerificationGas: above(op.preVerificationGas + bundleExtra, 0n),
    verificationGasLimit: above(op.verificationGasLimit + account, 0n),
  };
  const { gasUsed } = facts;
  const validation = gasUsed && String(above(BigInt(gasUsed.validation) + account, 0n));
  return {
    facts: {
      ...facts,
      gasSchedule: schedule.name,
      op: toRpcUserOperation(changed),
      ...(authority !== undefined && { authority }),
      ...(gasUsed && validation && { gasUsed: { ...gasUsed, validation } }),
    },
    extra: { data: bundleExtra - authorization, authorization, account },
    pricePerGasWei: priceOf(op, facts),
  };
};
