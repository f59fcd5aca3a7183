import { Utf8ErrorFuncs, toUtf8String } from 'ethers';
import type { Hex } from '../../shared/schema/hex.ts';
import type { NamedBytes } from '../../shared/schema/inspection.ts';
import { byteLength, wordAligned } from '../user-operation/hex-digits.ts';
import { valueOf } from './sections.ts';

/** The structure of ABI-encoded bytes: one word, bytes of any length, a tuple, or an array of tuples. */
export type AbiShape =
  | { readonly type: 'word'; readonly name: string; readonly kind: NamedBytes['kind']; readonly meaning: string }
  | { readonly type: 'bytes'; readonly name: string; readonly kind: 'bytes' | 'text'; readonly meaning: string }
  | { readonly type: 'tuple'; readonly name: string; readonly fields: readonly AbiShape[] }
  | { readonly type: 'array'; readonly name: string; readonly item: readonly AbiShape[] };

/** A value with such a structure: the hex of a word or of bytes, the fields of a tuple, or the items of an array. */
export type AbiValue = Hex | { readonly [field: string]: AbiValue } | readonly AbiValue[];

/** Why bytes cannot be read as expected. Never leaves this folder. */
export class Unreadable extends Error {}

const WORD = 32;
const SELECTOR = 4;

const text = (hex: Hex): string => toUtf8String(hex, Utf8ErrorFuncs.replace).replaceAll(/\p{C}/gu, '\u{fffd}');

/** A reader that assigns a name to every byte that it reads. It never reads a byte twice. */
class AbiBytes {
  readonly #data: Hex;
  readonly #named: NamedBytes[] = [];
  #count = 0;

  constructor(data: Hex) {
    this.#data = data;
  }

  /**
   * Names a range of bytes. @throws Unreadable if the data ends before the range does, or if more bytes were named than
   * exist
   */
  name(offset: number, length: number, { name, kind, meaning }: Pick<NamedBytes, 'name' | 'kind' | 'meaning'>): Hex {
    const total = byteLength(this.#data);
    if (offset + length > total) throw new Unreadable(`${name} ends after the last byte`);
    this.#count += length;
    if (this.#count > total) throw new Unreadable('its offsets point at the same bytes more than once');
    const hex: Hex = `0x${this.#data.slice(2 + 2 * offset, 2 + 2 * (offset + length))}`;
    const value = kind === 'text' ? text(hex) : valueOf(kind, hex);
    if (length > 0) this.#named.push({ name, offset, length, hex, kind, value, meaning });
    return hex;
  }

  /** Reads a word that counts bytes or items. */
  size(offset: number, name: string, meaning: string): number {
    const value = BigInt(this.name(offset, WORD, { name, kind: 'number', meaning }));
    if (value > BigInt(byteLength(this.#data))) throw new Unreadable(`${name} points past the last byte`);
    return Number(value);
  }

  /** All bytes in order. Unread bytes get a name, too. @throws Unreadable if ranges overlap */
  all(): NamedBytes[] {
    const sorted = this.#named.toSorted((one, other) => one.offset - other.offset);
    const whole: NamedBytes[] = [];
    let end = 0;
    const unread = (to: number): void => {
      if (to <= end) return;
      const hex = `0x${this.#data.slice(2 + 2 * end, 2 + 2 * to)}`;
      whole.push({
        name: 'unread',
        offset: end,
        length: to - end,
        hex,
        kind: 'bytes',
        value: '',
        meaning: 'Bytes that no contract reads.',
      });
    };
    for (const one of sorted) {
      if (one.offset < end) throw new Unreadable(`${one.name} overlaps the bytes of another value`);
      unread(one.offset);
      whole.push(one);
      end = one.offset + one.length;
    }
    unread(byteLength(this.#data));
    return whole;
  }
}

const readBytes = (bytes: AbiBytes, shape: AbiShape & { type: 'bytes' }, at: number, path: string): Hex => {
  const length = bytes.size(at, `length of ${path}`, 'Number of bytes that follow.');
  const value = bytes.name(at + WORD, length, { ...shape, name: path });
  const padding = wordAligned(length) - length;
  const padded = { name: `padding of ${path}`, kind: 'bytes', meaning: 'Zeros that complete the last word.' } as const;
  bytes.name(at + WORD + length, padding, padded);
  return value;
};

const readArray = (bytes: AbiBytes, shape: AbiShape & { type: 'array' }, at: number, path: string): AbiValue[] => {
  const count = bytes.size(at, `number of ${path}`, 'Number of items.');
  const start = at + WORD;
  return Array.from({ length: count }, (_, index) => {
    const name = `${path}[${index}]`;
    const offset = bytes.size(start + index * WORD, `offset of ${name}`, 'Where it begins.');
    return readTuple(bytes, shape.item, start + offset, `${name}.`);
  });
};

const readDynamic = (bytes: AbiBytes, shape: AbiShape, at: number, path: string): AbiValue => {
  if (shape.type === 'bytes') return readBytes(bytes, shape, at, path);
  if (shape.type === 'array') return readArray(bytes, shape, at, path);
  return readTuple(bytes, shape.type === 'tuple' ? shape.fields : [], at, `${path}.`);
};

const readTuple = (
  bytes: AbiBytes,
  fields: readonly AbiShape[],
  start: number,
  prefix: string,
): Record<string, AbiValue> =>
  Object.fromEntries(
    fields.map((field, index) => {
      const [head, path] = [start + index * WORD, prefix + field.name];
      if (field.type === 'word') return [field.name, bytes.name(head, WORD, { ...field, name: path })];
      const offset = bytes.size(head, `offset of ${path}`, 'Where it begins.');
      return [field.name, readDynamic(bytes, field, start + offset, path)];
    }),
  );

/** The arguments in calldata or revert data, and a name for each range of bytes. */
export interface AbiRead {
  readonly values: Readonly<Record<string, AbiValue>>;
  readonly bytes: NamedBytes[];
}

/**
 * Reads the arguments after a selector according to the ABI.
 * @throws Unreadable if an offset or a length points outside the data, or to bytes that were already read
 */
export const readAbi = (data: Hex, selector: string, fields: readonly AbiShape[]): AbiRead => {
  const bytes = new AbiBytes(data);
  bytes.name(0, SELECTOR, { name: 'selector', kind: 'bytes', meaning: selector });
  const values = readTuple(bytes, fields, SELECTOR, '');
  return { values, bytes: bytes.all() };
};
