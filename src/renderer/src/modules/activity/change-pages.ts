import type { EntryBody } from '../../../../core/log/entry.ts';

export interface ActionEntry {
  readonly entry: number;
  readonly at: number;
  readonly body: EntryBody<'action'>;
}

/**
 * The newest entries, followed by the entries that are already shown. If the two lists do not overlap or adjoin,
 * entries may be missing between them, and only the newest are returned. Both lists are newest first.
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
