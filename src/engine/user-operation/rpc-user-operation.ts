import type { Hex } from '../../shared/schema/hex.ts';
import { toQuantity } from '../../shared/schema/quantity.ts';

/** A value of JSON-RPC. */
type Wire = Hex | { readonly [field: string]: Wire };

/** An operation, or what is known of one, in the JSON-RPC form of its generation (ERC-7769): quantities are hex. */
export const toRpcUserOperation = (op: object): Readonly<Record<string, Wire>> =>
  Object.fromEntries(Object.entries(op).map(([field, value]) => [field, toWire(value as bigint | Hex | object)]));

const toWire = (value: bigint | Hex | object): Wire => {
  if (typeof value === 'bigint') return toQuantity(value);
  return typeof value === 'object' ? toRpcUserOperation(value) : value;
};
