import { max } from '../../shared/bigints.ts';
import { type CostGrouping, costParts } from '../../shared/schema/cost.ts';
import { type Address, type Hex, addressKey } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import { tracedCalls } from '../calls/traced-calls.ts';
import { type ContractWhitelist, whitelistOf } from '../contract-abi/whitelist.ts';
import { readableFacts } from '../decision/record.ts';
import { ruleInput } from '../decision/rule-input.ts';
import type { StoredRecord } from '../decision/stored-record.ts';
import { entryPointAt } from '../entry-points/registry.ts';
import { gasSchedules } from '../gas-schedules/schedules.ts';
import { workGas } from '../gas-schedules/work.ts';
import { dollarsOf } from '../policy/dollars.ts';
import type { Policy } from '../policy/policy.ts';
import { fromRpcUserOperation } from '../user-operation/rpc-user-operation.ts';
import { type Bundle, type ChargedOperation, type CostParts, type SignedGas, splitCost } from './split-cost.ts';

/** What the receipt of a mined operation says. */
export interface OperationReceipt {
  readonly charged: ChargedOperation;
  readonly bundle: Bundle;
  /** Who sent the transaction. */
  readonly bundler: Address;
  /** US dollars for one coin when the receipt was read, decimal; null if unknown. */
  readonly coinUsd: string | null;
}

/** A mined operation with what it counts. */
export interface PaidOperation {
  readonly record: StoredRecord;
  readonly costWei: bigint;
  /** Undefined: not read yet, or the node does not have it. */
  readonly receipt: OperationReceipt | undefined;
}

/** What a group of operations cost. The parts and `unsplitWei` add up to `costWei`. */
export interface CostGroup extends CostParts {
  /** A paymaster id, a method, an address or a month such as `2026-11`; empty if unknown. */
  readonly key: string;
  readonly operations: number;
  /** How many of them have calls that reverted, as far as receipts are known. */
  readonly reverted: number;
  readonly costWei: bigint;
  /** The cost of operations whose receipt or gas is unknown. */
  readonly unsplitWei: bigint;
  /** 10^-18 US dollars at the price of the day, of the operations for which it is known. */
  readonly dollars: bigint;
  /** The number of these operations. */
  readonly priced: number;
}

/** The costs on a chain. */
export interface ChainCosts {
  readonly chainId: number;
  readonly total: CostGroup;
  /** The most expensive groups first. */
  readonly groups: readonly CostGroup[];
}

type Sums = { -readonly [Field in keyof CostGroup]: CostGroup[Field] };

const newSums = (key: string): Sums => ({
  key,
  operations: 0,
  reverted: 0,
  costWei: 0n,
  unsplitWei: 0n,
  dollars: 0n,
  priced: 0,
  ...(Object.fromEntries(costParts.map((part) => [part, 0n])) as unknown as CostParts),
});

const add = (sums: Sums, { costWei, receipt }: PaidOperation, parts: CostParts | undefined): void => {
  sums.operations += 1;
  sums.costWei += costWei;
  if (parts === undefined) sums.unsplitWei += costWei;
  else for (const part of costParts) sums[part] += parts[part];
  if (receipt === undefined) return;
  if (!receipt.charged.success) sums.reverted += 1;
  if (receipt.coinUsd === null) return;
  sums.priced += 1;
  sums.dollars += dollarsOf(costWei, receipt.coinUsd);
};

/** Several groups as one, without a key. */
export const addUp = (groups: readonly CostGroup[]): CostGroup => {
  const { key, ...sums } = newSums('');
  const names = Object.keys(sums) as (keyof typeof sums)[];
  const total = (name: keyof typeof sums): number | bigint =>
    groups.map((group) => group[name]).reduce((sum, one) => (sum as bigint) + (one as bigint), sums[name]);
  return { key, ...Object.fromEntries(names.map((name) => [name, total(name)])) } as CostGroup;
};

/** The gas of the operation as it was signed; undefined if the record cannot be read. */
const signedGasOf = (record: StoredRecord): SignedGas | undefined => {
  const facts = readableFacts(record);
  const entryPoint = entryPointAt(record.entryPoint);
  if (facts === undefined || entryPoint === undefined) return undefined;
  const op = fromRpcUserOperation(facts.op);
  const { unusedGasPenalty, leastMetered } = entryPoint;
  const callsPostOp = facts.token !== undefined || unusedGasPenalty.countsUncalledPostOp;
  const postOpGasLimit = isV06(op) || !callsPostOp ? 0n : (op.paymasterPostOpGasLimit ?? 0n);
  const least = workGas(gasSchedules[facts.gasSchedule], leastMetered);
  return {
    preVerificationGas: op.preVerificationGas,
    limits: { callGasLimit: op.callGasLimit, postOpGasLimit },
    validationGas: max(least, BigInt(facts.gasUsed?.validation ?? 0)),
    unusedGasPenalty,
  };
};

/** Splits the cost of an operation; undefined if its receipt or its gas is unknown. */
const partsOf = ({ record, costWei, receipt }: PaidOperation): CostParts | undefined => {
  const signed = receipt && signedGasOf(record);
  return receipt && signed && splitCost(costWei, receipt.charged, signed, receipt.bundle);
};

/**
 * The methods that an operation calls, each once, such as `mint + approve`.
 *
 * @param today the contracts that are registered now, which name what was not registered when it was decided
 */
const methodsOf = (record: StoredRecord, policy: Policy | undefined, today: ContractWhitelist | undefined): string => {
  const facts = readableFacts(record);
  if (policy === undefined || facts === undefined) return '';
  const { decoding, policy: bound } = ruleInput(facts, policy);
  const calls = tracedCalls(decoding, whitelistOf(bound));
  if (!Array.isArray(calls)) return 'calls that cannot be decoded';
  const names = calls.map(({ method, selector, contract, target }) => {
    const known = today?.get(addressKey(target as Address));
    const place = contract ?? known?.name ?? target;
    const signature = method ?? known?.signatures.get(selector as Hex);
    return selector === '0x' ? `transfer to ${place}` : `${place}.${signature?.split('(')[0] ?? selector}`;
  });
  return names.length === 0 ? 'no calls' : [...new Set(names)].join(' + ');
};

const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

/** Adds up what mined operations cost, in groups. */
export class CostReport {
  readonly #by: CostGrouping;
  readonly #chains = new Map<number, { readonly total: Sums; readonly groups: Map<string, Sums> }>();

  /** Starts without operations. */
  constructor(by: CostGrouping) {
    this.#by = by;
  }

  /** True if {@link add} needs the policy of a decision, and the registered contracts. */
  get needsPolicy(): boolean {
    return this.#by === 'method';
  }

  #keyOf({ record, receipt }: PaidOperation, policy?: Policy, today?: ContractWhitelist): string {
    switch (this.#by) {
      case 'dapp':
        return record.paymasterId;
      case 'method':
        return methodsOf(record, policy, today);
      case 'sender':
        return addressKey(record.sender as Address);
      case 'bundler':
        return receipt === undefined ? '' : addressKey(receipt.bundler);
      case 'month':
        return monthOf(record.at);
    }
  }

  /**
   * Adds an operation.
   *
   * @param policy by which it was decided; undefined if unknown
   * @param today the contracts of its DApp that are registered now
   */
  add(operation: PaidOperation, policy?: Policy, today?: ContractWhitelist): void {
    const { chainId } = operation.record;
    let chain = this.#chains.get(chainId);
    if (chain === undefined) this.#chains.set(chainId, (chain = { total: newSums(''), groups: new Map() }));
    const key = this.#keyOf(operation, policy, today);
    let group = chain.groups.get(key);
    if (group === undefined) chain.groups.set(key, (group = newSums(key)));
    const parts = partsOf(operation);
    add(chain.total, operation, parts);
    add(group, operation, parts);
  }

  /** The costs so far, by chain. */
  chains(): ChainCosts[] {
    const compare = (one: CostGroup, other: CostGroup): number => {
      if (this.#by === 'month') return one.key.localeCompare(other.key);
      if (one.costWei !== other.costWei) return one.costWei > other.costWei ? -1 : 1;
      return one.key.localeCompare(other.key);
    };
    return [...this.#chains]
      .sort(([one], [other]) => one - other)
      .map(([chainId, { total, groups }]) => ({ chainId, total, groups: [...groups.values()].sort(compare) }));
  }
}
