/** `behaviour 5.6`, also where a line of a comment ends in between. */
const CITATION = /\bbehaviour(?:\s|\*|\/\/)+(\d+(?:\.\d+)*)/g;
const HEADING = /^### (\d+\.\d+) /gm;

/**
 * The numbers by which a text cites docs/behaviour.md and which no heading of it has.
 *
 * @param document the text of docs/behaviour.md
 */
export const wrongCitations = (text: string, document: string): string[] => {
  const numbers = new Set([...document.matchAll(HEADING)].map(([, number]) => number));
  return [...text.matchAll(CITATION)].flatMap(([, number = '']) => (numbers.has(number) ? [] : [number]));
};
