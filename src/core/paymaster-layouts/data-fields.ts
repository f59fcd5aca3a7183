import type { Address, Hex } from '../../shared/schema/hex.ts';
import { digits } from '../user-operation/hex-digits.ts';
import { SUFFIX_MAGIC } from '../user-operation/paymaster-signature.ts';

/** How to interpret a field's bytes. Times are unix seconds, padding is zeros, and `fixed` can have only one value. */
export type FieldKind = 'address' | 'number' | 'time' | 'gas' | 'signature' | 'padding' | 'fixed';

/** A field in the bytes that a contract reads. */
export interface DataField<Terms> {
  /** The contract's name for the field. */
  readonly name: string;
  /** In bytes. */
  readonly length: number;
  readonly kind: FieldKind;
  /** Its purpose in one sentence. */
  readonly meaning: string;
  /** Describes the value, if the number alone is not clear. */
  readonly words?: (value: bigint) => string;
  /** Why the contract cannot accept this value; undefined if it can. */
  readonly error?: (value: bigint) => string | undefined;
  /** The terms that the value determines. */
  readonly terms?: (value: bigint) => Partial<Terms>;
}

export interface ReadField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly meaning: string;
  /** In bytes, from the start of `paymasterAndData`. */
  readonly offset: number;
  readonly length: number;
  readonly hex: Hex;
  readonly words: string;
}

/** `paymasterAndData`, split into its fields. */
export interface ReadData<Terms> {
  /** Together, the fields cover all bytes. */
  readonly fields: readonly ReadField[];
  /** All terms that the fields determine. */
  readonly terms: Partial<Terms>;
  readonly signature: Hex;
}

/** Why bytes do not match a layout. */
export interface Misfit {
  readonly misfit: string;
}

const MAX_OF: Readonly<Partial<Record<FieldKind, readonly [bigint, string]>>> = {
  address: [1n << 160n, 'an address'],
  time: [1n << 48n, 'a time of 48 bits'],
  padding: [1n, 'zeros'],
};

const errorOf = <Terms>({ name, kind, error }: DataField<Terms>, value: bigint): string | undefined => {
  const [limit, what] = MAX_OF[kind] ?? [];
  if (limit !== undefined && value >= limit) return `${name} is not ${what}`;
  return error?.(value);
};

const textOf = <Terms>({ kind, words }: DataField<Terms>, hex: string, value: bigint): string => {
  if (words !== undefined) return words(value);
  if (kind === 'address') return `0x${hex.slice(-40)}`;
  return kind === 'signature' || kind === 'padding' ? '' : String(value);
};

/** Number of characters of `0x` and the paymaster's address, with which every `paymasterAndData` starts. */
const ADDRESS_DIGITS = 42;

/** Splits `paymasterAndData` into fields, combines their terms, and extracts the signature. */
export const readFields = <Terms extends { paymaster: Address }>(
  bytes: Hex,
  fields: readonly DataField<Terms>[],
): ReadData<Terms> | Misfit => {
  const text = digits(bytes);
  const needed = fields.reduce((sum, { length }) => sum + length, 0);
  if (text.length !== 2 * needed) {
    const length = text.length / 2;
    return { misfit: `too ${length < needed ? 'short' : 'long'}: ${length} bytes, needs ${needed}` };
  }
  const read: ReadField[] = [];
  let terms = { paymaster: bytes.slice(0, ADDRESS_DIGITS) } as Partial<Terms>;
  let signature: Hex = '0x';
  let offset = 0;
  for (const field of fields) {
    const { name, kind, meaning, length } = field;
    const part = text.slice(2 * offset, 2 * (offset + length));
    const value = BigInt(`0x0${part}`);
    const error = errorOf(field, value);
    if (error !== undefined) return { misfit: error };
    read.push({ name, kind, meaning, offset, length, hex: `0x${part}`, words: textOf(field, part, value) });
    terms = { ...terms, ...field.terms?.(value) };
    if (kind === 'signature') signature = `0x${part}`;
    offset += length;
  }
  return { fields: read, terms, signature };
};

export const asAddress = (value: bigint): Address => `0x${value.toString(16).padStart(40, '0')}`;

/** The first field of every `paymasterAndData`. */
export const paymasterField: DataField<never> = {
  name: 'paymaster',
  length: 20,
  kind: 'address',
  meaning: 'The paymaster contract, which the EntryPoint asks and charges.',
};

/** The fields that follow the paymaster from EntryPoint v0.7 on. */
export const paymasterGasFields: readonly DataField<never>[] = [
  { name: 'paymasterVerificationGasLimit', length: 16, kind: 'gas', meaning: "Gas for the paymaster's validation." },
  { name: 'paymasterPostOpGasLimit', length: 16, kind: 'gas', meaning: "Gas for the paymaster's postOp." },
];

const fixedField = (name: string, length: number, only: bigint, meaning: string): DataField<never> => ({
  name,
  length,
  kind: 'fixed',
  meaning,
  error: (value) => (value === only ? undefined : `${name} is ${value}, must be ${only}`),
});

export const signatureField: DataField<never> = {
  name: 'signature',
  length: 65,
  kind: 'signature',
  meaning: "The paymaster's signer signs the operation and these terms: r, s and v.",
};

/** validUntil and validAfter, each `length` bytes long. */
export const windowFields = (length: 6 | 32): readonly DataField<{ validUntil: number; validAfter: number }>[] => [
  {
    name: 'validUntil',
    length,
    kind: 'time',
    meaning: 'The last second in which the operation can be mined; 0 means no expiry.',
    terms: (value) => ({ validUntil: Number(value) }),
  },
  {
    name: 'validAfter',
    length,
    kind: 'time',
    meaning: 'The operation can be mined after this time.',
    terms: (value) => ({ validAfter: Number(value) }),
  },
];

/** Biconomy's `paymasterId`, `length` bytes long. */
export const fundingWalletField = (length: 20 | 32): DataField<{ fundingWallet?: Address }> => ({
  name: 'paymasterId',
  length,
  kind: 'address',
  meaning: 'The funding wallet whose gas tank pays.',
  terms: (value) => ({ fundingWallet: asAddress(value) }),
});

/** Biconomy's `priceMarkup`, `length` bytes long. */
export const markupField = (length: 4 | 32): DataField<{ priceMarkup?: number }> => ({
  name: 'priceMarkup',
  length,
  kind: 'number',
  meaning: 'Millionths of the cost that are charged: 1,000,000 is the cost itself.',
  error: (value) => (value < 1n << 32n ? undefined : 'priceMarkup does not fit in 32 bits'),
  terms: (value) => ({ priceMarkup: Number(value) }),
});

/** The signature as an ABI `bytes` argument, after a head of `headLength` bytes. */
export const abiSignatureFields = (headLength: number): readonly DataField<never>[] => [
  fixedField('offset of signature', 32, BigInt(headLength), 'Offset of the signature length, in bytes.'),
  fixedField('length of signature', 32, 65n, 'Number of bytes in the signature.'),
  signatureField,
  { name: 'padding', length: 31, kind: 'padding', meaning: 'Zeros that complete the last ABI word.' },
];

/** The end of `paymasterAndData` that makes the bytes before it a signature to EntryPoint v0.9. */
export const suffixFields = (signatureLength: number): readonly DataField<never>[] => [
  fixedField('length of the suffix', 2, BigInt(signatureLength), 'How many bytes before it the hash leaves out.'),
  fixedField('magic', 8, BigInt(`0x${SUFFIX_MAGIC}`), 'Tells the EntryPoint that a signature stands before it.'),
];
