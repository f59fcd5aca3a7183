import { z } from 'zod';

/** Bytes as `0x` and an even number of hex digits; `0x` is the empty byte string. */
export type Hex = `0x${string}`;
/** A 20-byte address. Its letter case has no meaning: some keep the case of the request. */
export type Address = Hex;

const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** The schema's pattern guarantees the `0x` prefix, which zod cannot infer. */
const asHex = (schema: z.ZodString): z.ZodType<Hex, string> => schema as unknown as z.ZodType<Hex, string>;

const HEX_ERROR = 'must be 0x-prefixed hex bytes';
const ADDRESS_ERROR = 'must be an EVM address';

export const isHex = (value: string): value is Hex => BYTES.test(value);

/** Schema of byte strings. Lower-cases them, so that equal bytes have one spelling. */
export const hex = asHex(z.string(HEX_ERROR).regex(BYTES, HEX_ERROR).toLowerCase());

/**
 * Schema of EVM addresses that keep the case in which they were written. The checksum is not enforced: clients send
 * different cases. Compare only with `sameAddress` or `addressKey`.
 */
export const address: z.ZodType<Address, string> = asHex(z.string(ADDRESS_ERROR).regex(ADDRESS, ADDRESS_ERROR));

/** Schema of addresses in user operations. Lower-cases them, like all bytes of an operation. */
export const lowerCaseAddress = asHex(z.string(ADDRESS_ERROR).regex(ADDRESS, ADDRESS_ERROR).toLowerCase());

const HASH_ERROR = 'must be a 32-byte hash';

/** Lower-cases the hash. */
export const hash = asHex(
  z
    .string(HASH_ERROR)
    .regex(/^0x[0-9a-fA-F]{64}$/, HASH_ERROR)
    .toLowerCase(),
);

/** The form in which an address is compared, stored as a key and hashed. */
export const addressKey = (value: Address): Address => value.toLowerCase() as Address;

export const sameAddress = (a: Address, b: Address): boolean => addressKey(a) === addressKey(b);
