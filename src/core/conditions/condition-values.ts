import type { FunctionFragment } from 'ethers';
import { JsonNumber } from '../../shared/schema/decimal.ts';
import { dollarsInMillionths } from '../../shared/words/amount.ts';
import { dollarsOf } from '../policy/dollars.ts';
import { type Address, type Hex, addressKey } from '../../shared/schema/hex.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { functionsOf } from '../contract-abi/methods.ts';
import type { Deployment } from '../calls/decode-deployment.ts';
import type { DecodedCall, Decoding } from '../calls/decoding.ts';
import type { Facts, Subject } from '../facts/facts.ts';
import type { PaymasterLayout } from '../paymaster-layouts/layout.ts';
import type { Policy, PolicyContract } from '../policy/policy.ts';
import type { ConditionValues } from './vocabulary.ts';
import { callArguments } from './call-arguments.ts';
import { ConditionCall, ConditionDapp, ConditionOperation, ConditionSubject } from './vocabulary.ts';

/** What conditions can read about an operation, before any rule is evaluated. */
export interface ConditionInputs {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly op: UserOperation;
  readonly decoding: Decoding;
  readonly deployment: (Deployment & { readonly decoding: Decoding }) | undefined;
  readonly layout: PaymasterLayout;
  /** Undefined if no rule has verified a person. */
  readonly subject: Subject | undefined;
  /** wei */
  readonly requiredWei: bigint;
}

const SELECTOR_LENGTH = 10; // 0x and four bytes

/** More digits than any 256-bit integer has. */
const MAX_DIGITS = 80;
const WHOLE = new RegExp(`^-?\\d{1,${MAX_DIGITS}}$`);

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

const fromJson = (value: unknown): unknown => {
  if (typeof value === 'string') return ADDRESS.test(value) ? value.toLowerCase() : value;
  if (value instanceof JsonNumber) return WHOLE.test(value.source) ? BigInt(value.source) : Number(value.source);
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([key, part]) => [key, fromJson(part)]));
};

/** A method of a contract, with its signature. */
interface Method {
  readonly fragment: FunctionFragment;
  readonly signature: string;
}

type Methods = ReadonlyMap<string, Method>;

const methods = new WeakMap<PolicyContract, Methods>();

const methodsOf = (contract: PolicyContract): Methods => {
  const known = methods.get(contract);
  if (known !== undefined) return known;
  const bySelector = new Map<string, Method>();
  for (const fragment of functionsOf(contract.abi)) {
    const { selector } = fragment;
    if (!bySelector.has(selector)) bySelector.set(selector, { fragment, signature: fragment.format('sighash') });
  }
  methods.set(contract, bySelector);
  return bySelector;
};

const callOf = (
  { target, value, data }: DecodedCall,
  contracts: ReadonlyMap<Address, PolicyContract>,
): ConditionCall => {
  const contract = contracts.get(target);
  const selector = data.slice(0, SELECTOR_LENGTH) as Hex;
  const method = contract === undefined ? undefined : methodsOf(contract).get(selector);
  return new ConditionCall({
    target,
    value,
    selector,
    contract: contract?.name ?? '',
    method: method?.fragment.name ?? '',
    signature: method?.signature ?? '',
    args: method ? callArguments(method.fragment, `0x${data.slice(SELECTOR_LENGTH)}`) : new Map(),
  });
};

/**
 * The dollar value of an amount of the native coin as a CEL double, rounded up to a millionth of a dollar. A condition
 * can therefore compare it exactly with any number of millionths. Because it is rounded up, an amount above a ceiling
 * never becomes equal to that ceiling.
 */
const millionths = (wei: bigint, price: string): number =>
  // eslint-disable-next-line house/exact-money -- the nearest double of the same digits that a condition would be written with
  parseFloat(dollarsInMillionths(dollarsOf(wei, price)));

const operationOf = ({
  facts: { price },
  op,
  deployment,
  layout,
  requiredWei,
}: ConditionInputs): ConditionOperation => {
  const { factory = '', factoryData = '' } = deployment ?? {};
  const v07 = isV06(op) ? {} : op;
  const { paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit = 0n } = v07 as Partial<Record<string, bigint>>;
  const { nonce, callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = op;
  return new ConditionOperation({
    sender: addressKey(op.sender),
    nonce,
    factory,
    factoryData,
    callData: op.callData,
    callGasLimit,
    verificationGasLimit,
    preVerificationGas,
    paymasterVerificationGasLimit,
    paymasterPostOpGasLimit,
    maxFeePerGas,
    maxPriorityFeePerGas,
    maxCostWei: requiredWei,
    ...(price?.usd && { maxCostUsd: millionths(requiredWei, price.usd) }),
    deploys: factory !== '',
    entryPoint: layout.entryPointVersion,
  });
};

/** What the client sent. Each field of webhookData is also a field of the result. */
const contextOf = ({ context = {} }: Facts): unknown => {
  const { webhookData } = context;
  return fromJson({ ...(typeof webhookData === 'object' && webhookData), ...context });
};

/** All calls, those of the deployment first; undefined if they cannot be decoded. */
const callsOf = ({ policy, decoding, deployment }: ConditionInputs): ConditionCall[] | undefined => {
  const made = deployment?.decoding ?? { outcome: 'decoded', calls: [], via: [] };
  if (decoding.outcome === 'undecodable' || made.outcome === 'undecodable') return undefined;
  const contracts = new Map(policy.contracts.map((contract) => [addressKey(contract.address), contract]));
  return [...made.calls, ...decoding.calls].map((call) => callOf(call, contracts));
};

/** The values that a policy's conditions can read. `calls` is missing if the calls cannot be decoded. */
export const conditionValues = (inputs: ConditionInputs): ConditionValues => {
  const { facts, policy } = inputs;
  const calls = callsOf(inputs);
  const { paymasterId, name, chainId } = policy.dapp;
  return {
    op: operationOf(inputs),
    ...(calls !== undefined && { calls }),
    context: contextOf(facts),
    dapp: new ConditionDapp({ paymasterId, name, chainId: BigInt(chainId) }),
    subject: new ConditionSubject(inputs.subject ?? {}),
    time: new Date(facts.at),
  };
};
