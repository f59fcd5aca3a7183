/** `behaviour 5.6`, even across a line break in a comment. */
const CITATION = /\bbehaviour(?:\s|\*|\/\/)+(\d+(?:\.\d+)*)/g;
const HEADING = /^### (\d+\.\d+) /gm;

/**
 * Section numbers of docs/behaviour.md that a text cites, but that no heading in it has.
 *
 * @param document the text of docs/behaviour.md
 */
export const wrongCitations = (text: string, document: string): string[] => {
  const numbers = new Set([...document.matchAll(HEADING)].map(([, number]) => number));
  return [...text.matchAll(CITATION)].flatMap(([, number = '']) => (numbers.has(number) ? [] : [number]));
};
