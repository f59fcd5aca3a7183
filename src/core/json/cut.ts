import { sha256, toUtf8Bytes } from 'ethers';

/** Replaces a value that is too long to be stored. */
export interface Cut {
  readonly truncated: true;
  /** Length of the value's JSON, in bytes of UTF-8. */
  readonly bytes: number;
  /** Hash of these bytes, in hex, which proves what the value was. */
  readonly sha256: string;
  readonly start: string;
}

/** The longest part of a request that is stored completely, in bytes of JSON. */
export const MAX_BYTES = 16 * 1024;
/**
 * The maximum length of a field of an operation that is longer than {@link MAX_BYTES}, so that no field takes the space
 * of the others.
 */
export const MAX_FIELD_BYTES = 2 * 1024;

/** Number of characters that are kept of a value longer than `most` bytes. Escaping in JSON may double their length. */
export const startLength = (most: number): number => most / 2;

const HASH = /^[0-9a-f]{64}$/;
const FIELDS = 4;

/** Whether a value is a {@link Cut} of a value whose JSON is longer than `most` bytes. */
export const isCut = (value: unknown, most: number): value is Cut => {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== FIELDS) return false;
  const { truncated, bytes, sha256, start } = value as Readonly<Record<string, unknown>>;
  const isLong = typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes > most;
  return (
    truncated === true &&
    isLong &&
    HASH.test(String(sha256)) &&
    typeof start === 'string' &&
    start !== '' &&
    start.length <= startLength(most)
  );
};

/** Whether the stored request lacks input of its decision because an operation field or the options were cut. */
export const isRequestCut = (request: unknown): boolean => {
  const { userOperation, options } = (request ?? {}) as { readonly userOperation?: object; readonly options?: unknown };
  return isCut(options, MAX_BYTES) || Object.values(userOperation ?? {}).some((field) => isCut(field, MAX_FIELD_BYTES));
};

/** Whether a {@link Cut} was made from this JSON, which must be longer than `most` bytes. */
export const isCutOf = ({ bytes, sha256: hash, start }: Cut, json: string, most: number): boolean => {
  const text = toUtf8Bytes(json);
  return text.length === bytes && json.slice(0, startLength(most)) === start && sha256(text) === `0x${hash}`;
};
