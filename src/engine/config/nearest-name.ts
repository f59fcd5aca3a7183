/** How many letters must be inserted, removed or replaced to turn one text into another (Levenshtein distance). */
const editsBetween = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, edits) => edits);
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1];
    for (const [at, other] of Array.from(to).entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[at], row[at + 1], row[at]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

const MAX_EDITS = 3;

/** The name that was probably meant by a misspelt one. Undefined if more than three letters, or half of them, differ. */
export const nearestName = (typed: string, names: readonly string[]): string | undefined => {
  let best: string | undefined;
  let fewest = Math.min(MAX_EDITS, Math.floor(typed.length / 2)) + 1;
  for (const name of names) {
    // Also bounds the time that a long text takes.
    if (Math.abs(typed.length - name.length) >= fewest) continue;
    const edits = editsBetween(typed.toLowerCase(), name.toLowerCase());
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
};
