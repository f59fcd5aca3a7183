/**
 * A gram is three consecutive characters of a text, encoded as a number. Each digit and each lower-case letter has its
 * own symbol; all other characters share 28 symbols. So a text may have the grams of another text without containing it,
 * but a text that contains another text always has its grams.
 */

const SYMBOLS = 64;
const DIGITS = 10;
const LETTERS = 26;
const OTHERS = SYMBOLS - DIGITS - LETTERS;
const GRAMS = SYMBOLS ** 3;

const symbolOf = (code: number): number => {
  if (code >= 48 && code < 48 + DIGITS) return code - 48;
  if (code >= 97 && code < 97 + LETTERS) return DIGITS + code - 97;
  return DIGITS + LETTERS + (code % OTHERS);
};

/** Calls `add` with each gram of a text, which must be in lower case. A gram may occur several times. */
export const eachGram = (text: string, add: (gram: number) => void): void => {
  let gram = 0;
  for (let index = 0; index < text.length; index += 1) {
    gram = (gram * SYMBOLS + symbolOf(text.charCodeAt(index))) % GRAMS;
    if (index >= 2) add(gram);
  }
};

/** Appended to each text before it is indexed, so that a gram begins with each of the text's characters. */
export const TEXT_END = '\n\n';

/** A decision that contains the texts has all grams of `every`, or at least one gram from `first` to `last`. */
export type Needle = { readonly every: readonly number[] } | { readonly first: number; readonly last: number };

/** Maximum number of grams per text that a search uses, because each further gram rules out fewer decisions. */
const MOST_GRAMS = 8;

const someGrams = (text: string): number[] => {
  const grams = new Set<number>();
  eachGram(text, (gram) => grams.add(gram));
  const step = Math.max(1, grams.size / MOST_GRAMS);
  return [...grams].filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step));
};

/** The grams that begin with a text of one or two characters. */
const beginningWith = (text: string): Needle => {
  const rest = SYMBOLS ** (3 - text.length);
  const start = Array.from({ length: text.length }, (_, index) => symbolOf(text.charCodeAt(index)));
  const first = start.reduce((gram, symbol) => gram * SYMBOLS + symbol, 0) * rest;
  return { first, last: first + rest - 1 };
};

/**
 * The grams of decisions that contain all of the texts.
 *
 * @param texts in lower case, none empty
 * @returns undefined if no text is given
 */
export const needleOf = (texts: readonly string[]): Needle | undefined => {
  const every = texts.flatMap(someGrams);
  if (every.length > 0) return { every: [...new Set(every)] };
  return texts[0] === undefined ? undefined : beginningWith(texts[0]);
};
