import { Environment } from '@marcbachmann/cel-js';
import { decimalToWei } from '../../shared/schema/decimal.ts';

/** Something that conditions see: CEL tells its type by its class, and reads the fields given. */
class Seen {
  constructor(fields: Readonly<Record<string, unknown>>) {
    Object.assign(this, fields);
  }

  /** The fields in words, where a condition is explained. */
  toString(): string {
    return Object.entries(this)
      .map(([field, value]) => `${field} ${String(value)}`)
      .join(', ');
  }
}

/** The operation. Addresses and bytes are hex in lower case, amounts are wei; there is no `maxCostUsd` where no price is known. */
export class ConditionOperation extends Seen {}

/** A call of the operation. */
export class ConditionCall extends Seen {}

/** The DApp. */
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

/** The fields of what conditions see, by its CEL type, with their CEL types. */
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

/** Bounds of an expression as it is written; what it may cost when it is evaluated is bounded besides. */
const limits = { maxAstNodes: 300, maxDepth: 32, maxListElements: 200, maxMapEntries: 20, maxCallArguments: 8 };

/** What conditions may name: `op`, `calls`, `context`, `dapp`, `time`, and the function `wei("0.05")`. */
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

/** What a condition is asked of: the names of {@link conditionEnvironment}. */
export type ConditionValues = Readonly<Record<string, unknown>>;
