import { z } from 'zod';

const DECIMAL = /^(?:0|[1-9][0-9]{0,77})$/;
const QUANTITY = /^(?:0x[0-9a-fA-F]{1,64}|0|[1-9][0-9]{0,77})$/;
const MAX_UINT256 = (1n << 256n) - 1n;

const ERROR = 'must be a 0x hex quantity, a decimal string or a safe integer';

/**
 * JSON-RPC quantities (behaviour 2.2): `0x` hex, a decimal string or a safe integer, up to 256 bits. Parsed exactly.
 */
export const quantity = z
  .union([z.string().regex(QUANTITY, ERROR), z.int(ERROR).nonnegative(ERROR)], ERROR)
  .transform((value) => BigInt(value))
  .refine((value) => value <= MAX_UINT256, ERROR);

/** An amount in JSON or in the database: a decimal string of wei, parsed as bigint. */
export const wei = z
  .string()
  .regex(DECIMAL, 'must be a decimal string of wei')
  .transform((value) => BigInt(value));

/** An amount in Gasdesk's output, which is never parsed. */
export const weiText = z.string().describe('wei, decimal');

/** A quantity in Gasdesk's output: `0x` hex without leading zeros. */
export const hexQuantity = z.string().regex(/^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/, 'must be a 0x hex quantity');

/** `0x` hex without leading zeros, as JSON-RPC writes quantities. */
export const toQuantity = (value: bigint): `0x${string}` => `0x${value.toString(16)}`;
