import { z } from 'zod';
import { hex, lowerCaseAddress } from './hex.ts';
import type { Hex } from './hex.ts';
import { quantity } from './quantity.ts';

/** Some clients send `0x` or null for a value that is missing or not estimated yet. */
const absentAs0x = (value: unknown): unknown => (value === '0x' || value === null ? undefined : value);
const absent = { absent: ['0x', null] };
const optionalQuantity = z.preprocess(absentAs0x, quantity.optional()).meta(absent);
const optionalHex = z.preprocess(absentAs0x, hex.optional()).meta({ absent: [null] });
const optionalBytes = z.preprocess((value) => value ?? undefined, hex.optional()).meta({ absent: [null] });
const optionalAddress = z.preprocess(absentAs0x, lowerCaseAddress.optional()).meta(absent);

const PAIR_ERROR = 'must be 32 bytes: two uint128';
/** Two uint128 in 32 bytes, as EntryPoint v0.7 and later pack gas limits and fees. */
const uint128Pair = hex
  .refine((value) => value.length === 66, PAIR_ERROR)
  .transform((value) => [BigInt(value.slice(0, 34)), BigInt(`0x${value.slice(34)}`)] as const);
const optionalPair = z.preprocess(absentAs0x, uint128Pair.optional()).meta(absent);

/** Libraries that strip leading zeros write zero as `0x`. */
const digitless = z.preprocess((value) => (value === '0x' ? 0 : value), quantity).meta({ absent: ['0x'] });
const optionalDigitless = z
  .preprocess((value) => (value === '0x' ? 0 : (value ?? undefined)), quantity.optional())
  .meta(absent);

const word = digitless.transform((value): Hex => `0x${value.toString(16).padStart(64, '0')}`);

const UNSIGNED: Hex = `0x${'00'.repeat(32)}`;
/** Parity for each value of `v`: some wallets write 27 and 28 for 0 and 1. */
const parities = new Map([
  [0n, 0n],
  [1n, 1n],
  [27n, 0n],
  [28n, 1n],
]);

/** The signature may be missing or a placeholder, because clients request paymaster data before their users sign. */
const eip7702Authorization = z
  .object({
    chainId: digitless,
    address: lowerCaseAddress,
    nonce: digitless,
    yParity: optionalDigitless.refine((value = 0n) => value <= 1n, 'must be 0 or 1'),
    v: optionalQuantity.refine((value = 0n) => parities.has(value), 'must be 27 or 28'),
    r: word.nullish().transform((value) => value ?? UNSIGNED),
    s: word.nullish().transform((value) => value ?? UNSIGNED),
  })
  .superRefine(({ yParity, v, r, s }, context) => {
    const named = (message: string): void => context.addIssue({ code: 'custom', path: ['yParity'], message });
    if (yParity !== undefined && v !== undefined && yParity !== parities.get(v)) named('should not differ from v');
    if (yParity === undefined && v === undefined && (r !== UNSIGNED || s !== UNSIGNED)) {
      named('must be given with a signature');
    }
  })
  .transform(({ v = 0n, yParity = parities.get(v) ?? 0n, ...authorization }) => ({ ...authorization, yParity }));
const optionalAuthorization = z.preprocess(absentAs0x, eip7702Authorization.optional()).meta(absent);

/**
 * A partial user operation as clients send it, for any EntryPoint version: with the fields of v0.6 (behaviour 2.4),
 * with the unpacked fields of v0.7 and later (ERC-7769), or with the packed ones. Which of these an operation may have
 * depends on the DApp's paymaster, and is checked by `read` of its EntryPoint. Clients send placeholders in the
 * paymaster fields. They are accepted, but only the gas limits among these fields are used. Unknown members are
 * ignored, and null counts as missing. All hex is lower case after parsing, so that nothing can depend on the letter
 * case that a client used.
 */
export const partialUserOperation = z
  .object({
    sender: lowerCaseAddress,
    nonce: digitless,
    initCode: optionalBytes,
    factory: optionalHex,
    factoryData: optionalHex,
    callData: hex,
    callGasLimit: optionalQuantity,
    verificationGasLimit: optionalQuantity,
    accountGasLimits: optionalPair.describe('32 bytes: uint128 verificationGasLimit, uint128 callGasLimit'),
    preVerificationGas: optionalQuantity,
    maxFeePerGas: optionalDigitless,
    maxPriorityFeePerGas: optionalDigitless,
    gasFees: optionalPair.describe('32 bytes: uint128 maxPriorityFeePerGas, uint128 maxFeePerGas'),
    signature: optionalBytes.transform((value) => value ?? '0x'),
    paymasterAndData: optionalBytes,
    paymaster: optionalAddress,
    paymasterVerificationGasLimit: optionalQuantity,
    paymasterPostOpGasLimit: optionalQuantity,
    paymasterData: hex.nullish(),
    paymasterSignature: optionalBytes.describe(
      'From EntryPoint v0.9 on. A client that sends it, if only empty, gets the signature under this name',
    ),
    eip7702Auth: optionalAuthorization,
    authorization: optionalAuthorization.describe('Another name of eip7702Auth'),
  })
  .meta({ id: 'UserOperation' });

/** A parsed partial user operation: quantities are bigint, and missing members are undefined or null. */
export type PartialUserOperation = z.output<typeof partialUserOperation>;
