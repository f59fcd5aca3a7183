/**
 * Words at which readers stop, with their replacements. Comments, titles of tests and documents must not contain them.
 */
const ODD: readonly (readonly [word: RegExp, say: string])[] = [
  [/\bwhoever\b/i, 'anyone who'],
  [/\b(?:told|tells)\b/i, 'reports, shows or says'],
  [/\banew\b/i, 'again'],
  [/\b(?:go(?:es)?|going|went) on\b/i, 'continues'],
  [/\bof (?:then|before)\b/i, 'earlier, or at the time'],
  [/\bthere (?:is|are) none\b/i, 'no … exists'],
  [/\b(?:undefined|null|absent|empty) where\b/i, 'if'],
  [/\bwhere there (?:is|are)\b/i, 'if'],
  [/\bdear(?:er|est)?\b/i, 'expensive'],
  [/\bbeside\b/i, 'next to, or with'],
  [/\b(?:he|his|him)\b/, 'they, or the operator or user'],
  [/\bpurse\b/i, 'balance'],
  [/\b(?:nobody|somebody|anybody|everybody)\b/i, 'no one, someone or everyone, or name them'],
  [/\bin vain\b/i, 'for nothing'],
  [/\bfor ever\b/i, 'indefinitely'],
  [/\bwithout an? end\b/i, 'Lifetime, or endless'],
  [/\bbudget in all\b/i, 'total budget'],
  [/\b(?:rules?|limits?|lists?) (?:that )?(?:bind|binds|bound)\b/i, 'applies, or is enforced'],
  [/\b(?:under way|on the way)\b/i, 'in flight'],
];

/** One message for each of these words that a text contains. */
export const oddWords = (text: string): string[] =>
  ODD.flatMap(([word, say]) => {
    const [found] = word.exec(text) ?? [];
    return found === undefined ? [] : [`"${found}": say ${say}`];
  });
