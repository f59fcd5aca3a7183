import { sha256, toUtf8Bytes } from 'ethers';

/** Short checksums of the values in a document, by their paths. They prove nothing: they only show where it was altered. */
export type FieldSums = Readonly<Record<string, string>>;

const DIGITS = 8;

const sumOf = (value: unknown): string => sha256(toUtf8Bytes(JSON.stringify(value))).slice(2, 2 + DIGITS);

/** A longer list counts as one value: lists of accounts may have a hundred thousand. */
const MOST_ITEMS = 100;

/** The values in a document, by paths such as `entry.body.steps[2]`. Empty objects and lists count as values. */
const leavesOf = (value: unknown, path: string): (readonly [path: string, value: unknown])[] => {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  if (Array.isArray(value) && value.length > MOST_ITEMS) return [[path, value]];
  const items: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [`${path}[${index}]`, item])
    : Object.entries(value).map(([name, item]) => [path === '' ? name : `${path}.${name}`, item]);
  return items.length === 0 ? [[path, value]] : items.flatMap(([place, item]) => leavesOf(item, place));
};

export const fieldSums = (document: unknown): FieldSums =>
  Object.fromEntries(leavesOf(document, '').map(([path, value]) => [path, sumOf(value)]));

/** The paths of values that were altered, added or removed since the checksums were made. */
export const alteredFields = (sums: FieldSums, document: unknown): string[] => {
  const now = fieldSums(document);
  return [...new Set([...Object.keys(sums), ...Object.keys(now)])].filter((path) => sums[path] !== now[path]);
};
