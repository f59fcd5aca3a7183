import { Environment } from '@marcbachmann/cel-js';
import { decimalToWei } from '../../shared/schema/decimal.ts';

/** Base class of the types that conditions read. CEL identifies a type by its class, and reads the given fields. */
class Seen {
  constructor(fields: Readonly<Record<string, unknown>>) {
    Object.assign(this, fields);
  }

  /** The fields as text, for explaining a condition. */
  toString(): string {
    return Object.entries(this)
      .map(([field, value]) => `${field} ${String(value)}`)
      .join(', ');
  }
}

/** Addresses and bytes are lower-case hex, amounts are wei; `maxCostUsd` is missing if the price is unknown. */
export class ConditionOperation extends Seen {}

/** A call that the operation makes. */
export class ConditionCall extends Seen {}

/** The DApp that the operation is sent for. */
export class ConditionDapp extends Seen {}

/** The verified person who sends the operation. Its fields are missing if no rule has verified one. */
export class ConditionSubject extends Seen {}

const gasFields = [
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
] as const;

/** The fields that conditions can read, by CEL type, with the CEL type of each field. */
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
  Subject: { source: 'string', id: 'string' },
} as const;

/** Limits of the expression's syntax. The cost of its evaluation has its own limit. */
const limits = { maxAstNodes: 300, maxDepth: 32, maxListElements: 200, maxMapEntries: 20, maxCallArguments: 8 };

/** The names that conditions may use: `op`, `calls`, `context`, `dapp`, `subject`, `time`, and the function `wei("0.05")`. */
export const conditionEnvironment = new Environment({ unlistedVariablesAreDyn: false, limits })
  .registerType('Operation', { ctor: ConditionOperation, fields: vocabulary.Operation })
  .registerType('Call', { ctor: ConditionCall, fields: vocabulary.Call })
  .registerType('DApp', { ctor: ConditionDapp, fields: vocabulary.DApp })
  .registerType('Subject', { ctor: ConditionSubject, fields: vocabulary.Subject })
  .registerVariable('op', 'Operation')
  .registerVariable('calls', 'list<Call>')
  .registerVariable('context', 'map<string, dyn>')
  .registerVariable('dapp', 'DApp')
  .registerVariable('subject', 'Subject')
  .registerVariable('time', 'google.protobuf.Timestamp')
  .registerFunction('wei(string): int', decimalToWei);

/** The values for the names of {@link conditionEnvironment}. */
export type ConditionValues = Readonly<Record<string, unknown>>;
