import { z } from 'zod';

/** Bytes as `0x` followed by an even number of hex digits; `0x` is the empty byte string. */
export type Hex = `0x${string}`;
/** A 20-byte address. Its letter case has no meaning, and some addresses keep the case in which they were sent. */
export type Address = Hex;

const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** The schema's pattern guarantees the prefix `0x`, which zod cannot infer. */
const asHex = (schema: z.ZodString): z.ZodType<Hex, string> => schema as unknown as z.ZodType<Hex, string>;

const HEX_ERROR = 'must be 0x-prefixed hex bytes';
const ADDRESS_ERROR = 'must be an EVM address';

export const isHex = (value: string): value is Hex => BYTES.test(value);

/** Schema of byte strings. Converts them to lower case, so that equal bytes are equal strings. */
export const hex = asHex(z.string(HEX_ERROR).regex(BYTES, HEX_ERROR).toLowerCase());

/**
 * Schema of EVM addresses. Keeps the letter case in which an address was written. The checksum is not enforced, because
 * clients send different cases. Compare addresses only with `sameAddress` or `addressKey`.
 */
export const address: z.ZodType<Address, string> = asHex(z.string(ADDRESS_ERROR).regex(ADDRESS, ADDRESS_ERROR));

/** Schema of addresses in user operations. Converts them to lower case, like all bytes of an operation. */
export const lowerCaseAddress = asHex(z.string(ADDRESS_ERROR).regex(ADDRESS, ADDRESS_ERROR).toLowerCase());

const HASH_ERROR = 'must be a 32-byte hash';

/** Converts the hash to lower case. */
export const hash = asHex(
  z
    .string(HASH_ERROR)
    .regex(/^0x[0-9a-fA-F]{64}$/, HASH_ERROR)
    .toLowerCase(),
);

/** The form in which addresses are compared, stored as keys and hashed. */
export const addressKey = (value: Address): Address => value.toLowerCase() as Address;

export const sameAddress = (a: Address, b: Address): boolean => addressKey(a) === addressKey(b);
