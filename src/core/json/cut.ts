import { sha256, toUtf8Bytes } from 'ethers';

/** Takes the place of a value that is too long for a record. */
export interface Cut {
  readonly truncated: true;
  /** Length of its JSON, in bytes of UTF-8. */
  readonly bytes: number;
  /** Of these bytes, hex: proves what they were. */
  readonly sha256: string;
  readonly start: string;
}

/** The longest part of a request that is stored whole, in bytes of JSON. */
export const MAX_BYTES = 16 * 1024;
/** The same for one field of a longer operation: no field alone may displace the others. */
export const MAX_FIELD_BYTES = 2 * 1024;

/** Number of characters kept of a value longer than `most` bytes. As JSON they may double. */
export const startLength = (most: number): number => most / 2;

const HASH = /^[0-9a-f]{64}$/;
const FIELDS = 4;

/** Whether a value stands for one whose JSON is longer than `most` bytes. */
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

/**
 * Whether a request is stored without what its decision depended on: a field of the operation, or the options, are cut.
 */
export const isRequestCut = (request: unknown): boolean => {
  const { userOperation, options } = (request ?? {}) as { readonly userOperation?: object; readonly options?: unknown };
  return isCut(options, MAX_BYTES) || Object.values(userOperation ?? {}).some((field) => isCut(field, MAX_FIELD_BYTES));
};

/** Whether a cut value, whose JSON is longer than `most` bytes, is that of this JSON. */
export const isCutOf = ({ bytes, sha256: hash, start }: Cut, json: string, most: number): boolean => {
  const text = toUtf8Bytes(json);
  return text.length === bytes && json.slice(0, startLength(most)) === start && sha256(text) === `0x${hash}`;
};
