import { AbiCoder, type FunctionFragment, type Result } from 'ethers';
import type { Hex } from '../../shared/schema/hex.ts';

type ByNameAndPosition = Map<string | bigint, unknown>;

/**
 * A decoded ABI value in the form that CEL expressions read: bytes and addresses are lower-case hex; a tuple is a map
 * with its values by name and by position.
 */
const fromAbi = (value: unknown, type: { readonly baseType: string }): unknown => {
  if (typeof value === 'string') return /^(?:address|bytes)/.test(type.baseType) ? value.toLowerCase() : value;
  return value;
};

type Param = FunctionFragment['inputs'][number];

const fromResult = (value: unknown, param: Param): unknown => {
  if (param.isArray()) return [...(value as Result)].map((part: unknown) => fromResult(part, param.arrayChildren));
  if (param.isTuple()) return byNameAndPosition([...(value as Result)], param.components);
  return fromAbi(value, param);
};

const named = (read: readonly unknown[], params: readonly Param[]): ByNameAndPosition => {
  const values: ByNameAndPosition = new Map();
  for (const [index, value] of read.entries()) values.set(BigInt(index), value);
  for (const [index, { name }] of params.entries()) if (name !== '') values.set(name, read[index]);
  return values;
};

const byNameAndPosition = (values: readonly unknown[], params: readonly Param[]): ByNameAndPosition =>
  named(
    params.map((param, index) => fromResult(values[index], param)),
    params,
  );

/** Reads a value from a 32-byte word of hex digits. @throws Error if the word is not a value of the type */
type ReadWord = (word: string) => unknown;

const WORD_DIGITS = 64;
const ADDRESS_DIGITS = 40;

const readAddress: ReadWord = (word) => {
  if (!word.startsWith('0'.repeat(WORD_DIGITS - ADDRESS_DIGITS))) throw new Error('an address has 20 bytes');
  return `0x${word.slice(-ADDRESS_DIGITS)}`;
};

const readerOf = (type: string): ReadWord | undefined => {
  if (type === 'address') return readAddress;
  if (type === 'bool') return (word) => BigInt(`0x${word}`) !== 0n;
  const [, kind = '', size] = /^(uint|int|bytes)(\d+)$/.exec(type) ?? [];
  const bits = Number(size);
  if (kind === 'uint') return (word) => BigInt.asUintN(bits, BigInt(`0x${word}`));
  if (kind === 'int') return (word) => BigInt.asIntN(bits, BigInt(`0x${word}`));
  return kind === 'bytes' ? (word) => `0x${word.slice(0, 2 * bits)}` : undefined;
};

const readers = new WeakMap<readonly Param[], readonly ReadWord[] | undefined>();

/** Readers for parameters that each take one word; undefined if any parameter takes more. */
const readersOf = (inputs: readonly Param[]): readonly ReadWord[] | undefined => {
  if (readers.has(inputs)) return readers.get(inputs);
  const each = inputs.map(({ type }) => readerOf(type));
  const all = each.every((one) => one !== undefined) ? each : undefined;
  readers.set(inputs, all);
  return all;
};

/**
 * Gives the same result as ethers, and is ten times as fast. Most arguments take one word, and every decision reads
 * them.
 */
const readWords = (inputs: readonly Param[], words: readonly ReadWord[], data: Hex): ByNameAndPosition => {
  const text = data.slice(2).toLowerCase();
  if (text.length < words.length * WORD_DIGITS) return new Map();
  try {
    const read = words.map((one, index) => one(text.slice(index * WORD_DIGITS, (index + 1) * WORD_DIGITS)));
    return named(read, inputs);
  } catch {
    return new Map();
  }
};

/**
 * Limits how much decoding may expand the data. An honest encoding never refers to the same bytes twice; a hostile one
 * could expand to megabytes. ethers has this limit for the whole process.
 */
const MAX_INFLATION = 2;
AbiCoder._setDefaultMaxInflation(MAX_INFLATION);

/** The arguments of a call, by name and by position. @param data calldata without the selector */
export const callArguments = ({ inputs }: Pick<FunctionFragment, 'inputs'>, data: Hex): ByNameAndPosition => {
  const words = readersOf(inputs);
  if (words !== undefined) return readWords(inputs, words, data);
  try {
    return byNameAndPosition([...AbiCoder.defaultAbiCoder().decode(inputs, data)], inputs);
  } catch {
    // The call does not match the ABI. Its arguments are then unknown, and a condition that reads one denies the
    // operation.
    return new Map();
  }
};
