/** The words of a line, as a shell reads it. What is after a pipe or a redirection is the shell's. */
export const wordsOf = (line: string): string[] =>
  [...line.replace(/ [<>|] .*/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
