/** `behaviour 5.6`, even across a line break in a comment. */
const CITATION = /\bbehaviour(?:\s|\*|\/\/)+(\d+(?:\.\d+)*)/g;
const HEADING = /^### (\d+\.\d+) /gm;

/**
 * Numbers under which a text cites docs/behaviour.md, but which no heading there has.
 *
 * @param document the text of docs/behaviour.md
 */
export const wrongCitations = (text: string, document: string): string[] => {
  const numbers = new Set([...document.matchAll(HEADING)].map(([, number]) => number));
  return [...text.matchAll(CITATION)].flatMap(([, number = '']) => (numbers.has(number) ? [] : [number]));
};
