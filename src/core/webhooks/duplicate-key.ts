/** A string, with the colon that makes it a key; or a brace that starts or ends an object. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g;

/**
 * The first key that occurs twice in the same object of a JSON text, at any depth; undefined if there are no
 * duplicates. Parsers differ in which of the two values they keep (RFC 8259, section 4), and `JSON.parse` does not
 * report duplicates.
 * @param json valid JSON, which `JSON.parse` accepts
 */
export const duplicateKey = (json: string): string | undefined => {
  const objects: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(TOKEN)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (text !== undefined && colon !== undefined) {
      // Keys are compared by value, however they are escaped.
      const key = JSON.parse(text) as string;
      if (objects.at(-1)?.has(key) === true) return key;
      objects.at(-1)?.add(key);
    }
  }
  return undefined;
};
