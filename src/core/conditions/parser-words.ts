/** What the CEL parser's names of tokens stand for. */
const TOKENS: Readonly<Record<string, string>> = {
  EOF: 'the end of the condition',
  IDENTIFIER: 'a name',
  COLON: 'a colon',
  COMMA: 'a comma',
  RBRACE: 'a closing brace',
  RBRACKET: 'a closing bracket',
  RPAREN: 'a closing parenthesis',
};

const tokenWords = (token: string): string => TOKENS[token] ?? token;

/** A message of the CEL parser, in which tokens are named in words. Other messages stay as they are. */
export const parserWords = (message: string): string => {
  const missing = /^Expected (\w+), got EOF$/.exec(message)?.[1];
  if (missing !== undefined) return `${tokenWords(missing).replace(/^a/, 'A')} is missing`;
  return message.replace(/^Expected \w+, got \w+$|^Unexpected token: \w+$/, (found) =>
    found.replaceAll(/\b[A-Z]{2,}\b/g, tokenWords),
  );
};
