import { z } from 'zod';

/** Bytes as `0x` and an even number of hex digits; `0x` is the empty string. */
export type Hex = `0x${string}`;
/** A 20-byte address. Letter case carries no meaning: some are as their caller wrote them. */
export type Address = Hex;

const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Narrows the type of a string schema whose pattern guarantees the `0x` prefix; zod cannot infer that. */
const asHex = (schema: z.ZodString): z.ZodType<Hex, string> => schema as unknown as z.ZodType<Hex, string>;

const HEX_FAULT = 'must be 0x-prefixed hex bytes';
const ADDRESS_FAULT = 'must be an EVM address';

/** True for `0x` followed by whole bytes. */
export const isHex = (value: string): value is Hex => BYTES.test(value);

/** Schema of byte strings. They are lower case from here on: two spellings of the same bytes must never be told apart. */
export const hex = asHex(z.string(HEX_FAULT).regex(BYTES, HEX_FAULT).toLowerCase());

/**
 * Schema of EVM addresses that are shown again as they were written. The checksum is not enforced: clients differ in
 * the case they send. Compare by `sameAddress` or `addressKey` only.
 */
export const address: z.ZodType<Address, string> = asHex(z.string(ADDRESS_FAULT).regex(ADDRESS, ADDRESS_FAULT));

/** Schema of addresses in user operations, which are lower case from here on, as all their bytes are. */
export const lowerCaseAddress = asHex(z.string(ADDRESS_FAULT).regex(ADDRESS, ADDRESS_FAULT).toLowerCase());

const HASH_FAULT = 'must be a 32-byte hash';

/** Schema of 32-byte hashes, lower case from here on. */
export const hash = asHex(
  z
    .string(HASH_FAULT)
    .regex(/^0x[0-9a-fA-F]{64}$/, HASH_FAULT)
    .toLowerCase(),
);

/** The form under which an address is compared, stored as a key and hashed. */
export const addressKey = (value: Address): Address => value.toLowerCase() as Address;

/** True if both name the same account, whatever their letter case. */
export const sameAddress = (a: Address, b: Address): boolean => addressKey(a) === addressKey(b);
