import { sha256 } from 'ethers';
import { type Cut, MAX_BYTES, MAX_FIELD_BYTES, startLength } from './cut.ts';
import { JsonNumber } from '../../shared/schema/decimal.ts';

/**
 * The part of a request that a record keeps. Long parts are cut: anyone with an API key can create records, and records
 * must not fill the disk or make lists of decisions too long.
 */

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const cut = (text: string, length: number): Cut => {
  const bytes = bytesOf(text);
  return { truncated: true, bytes: bytes.length, sha256: sha256(bytes).slice(2), start: text.slice(0, length) };
};

/** A control character takes six bytes: `\u0000`. */
const MAX_PER_CHARACTER = 6;
const MAX_PER_NUMBER = 25;

/**
 * Number of bytes that remain of `bytes` after the longest possible JSON of a value; negative as soon as the JSON may
 * not fit.
 */
const leftBehind = (value: unknown, bytes: number): number => {
  if (typeof value === 'string') return bytes - 3 - value.length * MAX_PER_CHARACTER;
  if (typeof value !== 'object' || value === null) return bytes - MAX_PER_NUMBER;
  if (value instanceof JsonNumber) return bytes - 1 - value.source.length;
  let left = bytes - 3;
  if (Array.isArray(value)) {
    // Each item takes at least a digit and a comma, so a long array needs no further check.
    if (2 * value.length > bytes) return -1;
    for (const member of value as readonly unknown[]) if ((left = leftBehind(member, left)) < 0) return left;
    return left;
  }
  for (const key in value) {
    left = leftBehind((value as Record<string, unknown>)[key], leftBehind(key, left));
    if (left < 0) return left;
  }
  return left;
};

const cutWithin = (value: unknown, mostBytes: number): unknown => {
  // Fast path: nearly all values are far shorter, and need no serialisation.
  if (leftBehind(value, mostBytes) >= 0) return value;
  const text = JSON.stringify(value);
  return bytesOf(text).length <= mostBytes ? value : cut(text, startLength(mostBytes));
};

/** A part of a request as a record keeps it: complete up to 16 KiB of JSON, otherwise a {@link Cut}. */
export const cutForRecord = (value: unknown): unknown => cutWithin(value, MAX_BYTES);

/** An operation as a record keeps it: if it is longer than 16 KiB, each field longer than 2 KiB is a {@link Cut}. */
export const cutOperation = (operation: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const keep = (field: unknown): unknown => cutWithin(field, MAX_FIELD_BYTES);
  if (cutForRecord(operation) === operation) return operation;
  return Object.fromEntries(Object.entries(operation).map(([name, field]) => [name, keep(field)]));
};

/** A text as a record keeps it: if it is longer than 16 KiB, its beginning, length and SHA-256. */
export const cutText = (text: string): string => {
  if (bytesOf(text).length <= MAX_BYTES) return text;
  const { start, bytes, sha256 } = cut(text, startLength(MAX_BYTES));
  return `${start}… (${bytes} bytes, SHA-256 ${sha256})`;
};
