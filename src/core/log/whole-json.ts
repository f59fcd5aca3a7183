import { JsonNumber } from '../../shared/schema/decimal.ts';

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];

/** Number of keys in a JSON text: the number of colons outside of strings. */
const keysWritten = (bytes: Uint8Array): number => {
  let [keys, isText] = [0, false];
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) isText = !isText;
    else if (isText && byte === BACKSLASH) index += 1;
    else if (byte === COLON && !isText) keys += 1;
  }
  return keys;
};

const keysIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return 0;
  let keys = 0;
  if (Array.isArray(value)) for (const one of value) keys += keysIn(one);
  else for (const key in value) keys += 1 + keysIn((value as Readonly<Record<string, unknown>>)[key]);
  return keys;
};

/**
 * Whether no object contains the same key twice. Parsers differ in which of the two values they keep (RFC 8259, 4).
 * @param bytes JSON in UTF-8
 * @param value the parsed JSON
 */
export const isEachKeyOnce = (bytes: Uint8Array, value: unknown): boolean => keysWritten(bytes) === keysIn(value);
