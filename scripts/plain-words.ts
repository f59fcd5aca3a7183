/** Words that make a reader stop, and what to say. Comments and documents are held against it. */
const ODD: readonly (readonly [word: RegExp, say: string])[] = [
  [/\bwhoever\b/i, 'anyone who'],
  [/\b(?:told|tells)\b/i, 'reports, shows or says'],
  [/\banew\b/i, 'again'],
  [/\bgo(?:es)? on\b/i, 'continues'],
  [/\bof (?:then|before)\b/i, 'earlier, or at the time'],
  [/\bthere (?:is|are) none\b/i, 'no … exists'],
  [/\b(?:undefined|null|absent|empty) where\b/i, 'if'],
  [/\bwhere there (?:is|are)\b/i, 'if'],
  [/\bdear(?:er|est)?\b/i, 'expensive'],
  [/\bbeside\b/i, 'next to, or with'],
  [/\b(?:he|his|him)\b/, 'they, or the operator or user'],
  [/\bpurse\b/i, 'balance'],
  [/\b(?:under way|on the way)\b/i, 'in flight'],
];

/** One message for each listed word that a text contains. */
export const oddWords = (text: string): string[] =>
  ODD.flatMap(([word, say]) => {
    const [found] = word.exec(text) ?? [];
    return found === undefined ? [] : [`"${found}": say ${say}`];
  });
