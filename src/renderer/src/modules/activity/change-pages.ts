/** Something that stands in the log. */
interface Positioned {
  readonly entry: number;
}

/**
 * The newest entries, and after them those that are shown already. Where the two do not meet, entries may lie between: then
 * only the newest. Both are newest first.
 */
export const joined = <T extends Positioned>(newest: readonly T[], shown: readonly T[]): readonly T[] => {
  const last = newest.at(-1)?.entry ?? 0;
  const [first] = shown;
  if (first === undefined || first.entry < last) return newest;
  return [...newest, ...shown.filter(({ entry }) => entry < last)];
};
