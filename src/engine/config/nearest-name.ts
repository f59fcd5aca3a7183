import { distance } from 'fastest-levenshtein';

const MAX_EDITS = 3;

/** The name that was probably meant by a misspelt one. Undefined if more than three letters, or half of them, differ. */
export const nearestName = (typed: string, names: readonly string[]): string | undefined => {
  let best: string | undefined;
  let fewest = Math.min(MAX_EDITS, Math.floor(typed.length / 2)) + 1;
  for (const name of names) {
    // Also bounds the time that a long text takes.
    if (Math.abs(typed.length - name.length) >= fewest) continue;
    const edits = distance(typed.toLowerCase(), name.toLowerCase());
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
};
