import type { Hex } from '../../shared/schema/hex.ts';
import { toQuantity } from '../../shared/schema/quantity.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';

type Wire = Hex | { readonly [field: string]: Wire };

// Both directions run for every decision, and write field by field, which costs less than lists of entries.

/** An operation, or a part of one, as JSON-RPC encodes it (ERC-7769): quantities are hex. */
export const toRpcUserOperation = (op: object): Record<string, Wire> => {
  const fields = op as Readonly<Record<string, bigint | Hex | object | undefined>>;
  const wire: Record<string, Wire> = {};
  for (const field of Object.keys(fields)) {
    const value = fields[field];
    if (value !== undefined) wire[field] = toWire(value);
  }
  return wire;
};

const toWire = (value: bigint | Hex | object): Wire => {
  if (typeof value === 'bigint') return toQuantity(value);
  return typeof value === 'object' ? toRpcUserOperation(value) : value;
};

/** Numeric fields of an operation, of any EntryPoint version, and of its EIP-7702 authorisation. */
export const QUANTITIES: ReadonlySet<string> = new Set([
  'nonce',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
  'chainId',
  'yParity',
]);

const fromWire = (op: Readonly<Record<string, unknown>>): object => {
  const fields: Record<string, unknown> = {};
  for (const field of Object.keys(op)) {
    const value = op[field];
    if (QUANTITIES.has(field)) fields[field] = BigInt(value as string);
    else fields[field] = typeof value === 'object' ? fromWire(value as Record<string, unknown>) : value;
  }
  return fields;
};

/** The inverse of {@link toRpcUserOperation}. */
export const fromRpcUserOperation = (op: Readonly<Record<string, unknown>>): UserOperation =>
  fromWire(op) as UserOperation;
