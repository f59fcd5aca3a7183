import type { EntryBody } from '../../../../core/log/entry.ts';

/** An entry of the log about what an operator changed. */
export interface ActionEntry {
  readonly entry: number;
  readonly at: number;
  readonly body: EntryBody<'action'>;
}

/**
 * The newest entries, and after them those that are shown already. Where the two do not meet, entries may lie between: then
 * only the newest. Both are newest first.
 */
export const joined = <T extends Pick<ActionEntry, 'entry'>>(
  newest: readonly T[],
  shown: readonly T[],
): readonly T[] => {
  const last = newest.at(-1)?.entry ?? 0;
  const [first] = shown;
  if (first === undefined || first.entry < last) return newest;
  return [...newest, ...shown.filter(({ entry }) => entry < last)];
};
