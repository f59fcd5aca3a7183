/** A string with what makes it a key, or the brace at which an object begins or ends. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g;

/**
 * The first key that an object of a JSON text holds twice, at whatever depth; undefined if there is none. Parsers differ
 * in which of the two they keep (RFC 8259, 4), and `JSON.parse` does not tell.
 *
 * @param json valid JSON: `JSON.parse` has taken it
 */
export const duplicateKey = (json: string): string | undefined => {
  const objects: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(TOKEN)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (text !== undefined && colon !== undefined) {
      // Keys are the same by what they say, not by how they are escaped.
      const key = JSON.parse(text) as string;
      if (objects.at(-1)?.has(key) === true) return key;
      objects.at(-1)?.add(key);
    }
  }
  return undefined;
};
