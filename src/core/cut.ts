import { sha256, toUtf8Bytes } from 'ethers';

/** Stands in a record for what was too long to be kept. */
export interface Cut {
  readonly truncated: true;
  /** Length of its JSON, in bytes of UTF-8. */
  readonly bytes: number;
  /** Of these bytes, hex: who has them can prove what they were. */
  readonly sha256: string;
  /** Their beginning. */
  readonly start: string;
}

/** The longest part of a request that is kept as it came, in bytes of JSON. */
export const MOST_BYTES = 16 * 1024;
/** The same for one field of a longer operation: none of them alone is to hide the others. */
export const MOST_FIELD_BYTES = 2 * 1024;

/** How many characters are kept of what is longer than so many bytes. As a text in JSON again they may double. */
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

/** Whether a request is kept without what its decision was made from: a field of the operation, or the options, are cut. */
export const isRequestCut = (request: unknown): boolean => {
  const { userOperation, options } = (request ?? {}) as { readonly userOperation?: object; readonly options?: unknown };
  return (
    isCut(options, MOST_BYTES) || Object.values(userOperation ?? {}).some((field) => isCut(field, MOST_FIELD_BYTES))
  );
};

/** Whether a value that was cut because its JSON is longer than `most` bytes is the one of this JSON. */
export const isCutOf = ({ bytes, sha256: hash, start }: Cut, json: string, most: number): boolean => {
  const text = toUtf8Bytes(json);
  return text.length === bytes && json.slice(0, startLength(most)) === start && sha256(text) === `0x${hash}`;
};
