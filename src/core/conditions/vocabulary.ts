import { Environment } from '@marcbachmann/cel-js';
import { decimalToWei } from '../../shared/schema/decimal.ts';

/** A type that conditions see: CEL identifies it by its class, and reads the given fields. */
class Seen {
  constructor(fields: Readonly<Record<string, unknown>>) {
    Object.assign(this, fields);
  }

  /** The fields in words, for the explanation of a condition. */
  toString(): string {
    return Object.entries(this)
      .map(([field, value]) => `${field} ${String(value)}`)
      .join(', ');
  }
}

/** Addresses and bytes are hex in lower case, amounts are wei; `maxCostUsd` is missing if no price is known. */
export class ConditionOperation extends Seen {}

/** A call of the operation. */
export class ConditionCall extends Seen {}

/** The DApp that the operation belongs to. */
export class ConditionDapp extends Seen {}

const gasFields = [
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
] as const;

/** The fields that conditions see, by CEL type, with their CEL types. */
export const vocabulary = {
  Operation: {
    sender: 'string',
    nonce: 'int',
    factory: 'string',
    factoryData: 'string',
    callData: 'string',
    ...(Object.fromEntries(gasFields.map((field) => [field, 'int'])) as Record<(typeof gasFields)[number], string>),
    maxCostWei: 'int',
    maxCostUsd: 'double',
    deploys: 'bool',
    entryPoint: 'string',
  },
  Call: {
    target: 'string',
    contract: 'string',
    method: 'string',
    signature: 'string',
    selector: 'string',
    value: 'int',
    args: 'map<dyn, dyn>',
  },
  DApp: { paymasterId: 'string', name: 'string', chainId: 'int' },
} as const;

/** Bounds of an expression as it is written; the cost of its evaluation has a bound of its own. */
const limits = { maxAstNodes: 300, maxDepth: 32, maxListElements: 200, maxMapEntries: 20, maxCallArguments: 8 };

/** The names that conditions may use: `op`, `calls`, `context`, `dapp`, `time`, and the function `wei("0.05")`. */
export const conditionEnvironment = new Environment({ unlistedVariablesAreDyn: false, limits })
  .registerType('Operation', { ctor: ConditionOperation, fields: vocabulary.Operation })
  .registerType('Call', { ctor: ConditionCall, fields: vocabulary.Call })
  .registerType('DApp', { ctor: ConditionDapp, fields: vocabulary.DApp })
  .registerVariable('op', 'Operation')
  .registerVariable('calls', 'list<Call>')
  .registerVariable('context', 'map<string, dyn>')
  .registerVariable('dapp', 'DApp')
  .registerVariable('time', 'google.protobuf.Timestamp')
  .registerFunction('wei(string): int', decimalToWei);

/** The values for the names of {@link conditionEnvironment}. */
export type ConditionValues = Readonly<Record<string, unknown>>;
