/** A string, with what makes it a key; or the brace at which an object begins or ends. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g;

/**
 * The first key that an object of a JSON text holds twice, at any depth; undefined if no key does. Parsers differ in
 * which of the two they keep (RFC 8259, 4), and `JSON.parse` reports neither.
 * @param json valid JSON: `JSON.parse` accepts it
 */
export const duplicateKey = (json: string): string | undefined => {
  const objects: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(TOKEN)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (text !== undefined && colon !== undefined) {
      // Keys are compared by value, not by how they are escaped.
      const key = JSON.parse(text) as string;
      if (objects.at(-1)?.has(key) === true) return key;
      objects.at(-1)?.add(key);
    }
  }
  return undefined;
};
