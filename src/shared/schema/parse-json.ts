/** The array or object that is being read. For an object, also the key whose value comes next. */
type Frame = { readonly array: unknown[] } | { readonly object: Record<string, unknown>; key: string | undefined };

/** Characters of a JSON number. */
const NUMBER = /[-+.\deE]+/y;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [TRUE, FALSE, NULL] = [0x74, 0x66, 0x6e];
const SPACE = 0x20;

/** Position after the string that begins at `start`. */
const endOfString = (json: string, start: number): number => {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
};

const readString = (json: string, start: number, end: number): string => {
  const text = json.slice(start + 1, end - 1);
  return text.includes('\\') ? (JSON.parse(json.slice(start, end)) as string) : text;
};

/** Sets a member as JSON.parse does, for which `__proto__` is an ordinary key. */
const setMember = (object: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
};

/**
 * Parses JSON like JSON.parse, but passes the digits of each number to a function. JSON.parse with a reviver takes
 * fifty times as long. The time is linear in the length of the text, and nothing recurses.
 *
 * @param json text that JSON.parse accepts; it is not checked again
 */
export const parseJsonWith = (json: string, readNumber: (source: string) => unknown): unknown => {
  let root: unknown;
  const frames: Frame[] = [];
  let frame: Frame | undefined;
  const put = (value: unknown): void => {
    if (frame === undefined) root = value;
    else if ('array' in frame) frame.array.push(value);
    else {
      setMember(frame.object, frame.key ?? '', value);
      frame.key = undefined;
    }
  };
  const enter = (container: object, inner: Frame): void => {
    put(container);
    frames.push(inner);
    frame = inner;
  };
  /** Reads a character between values. Returns false if a value or a key starts here. */
  const takeBetween = (code: number): boolean => {
    if (code === OPEN_ARRAY) {
      const array: unknown[] = [];
      enter(array, { array });
    } else if (code === OPEN_OBJECT) {
      const object: Record<string, unknown> = {};
      enter(object, { object, key: undefined });
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      frames.pop();
      frame = frames.at(-1);
    } else return code <= SPACE || code === COMMA || code === COLON;
    return true;
  };
  /** Reads a string, a number or a literal. @returns the position after it */
  const takeValue = (code: number, at: number): number => {
    if (code === QUOTE) {
      const end = endOfString(json, at);
      const text = readString(json, at, end);
      if (frame !== undefined && 'object' in frame && frame.key === undefined) frame.key = text;
      else put(text);
      return end;
    }
    if (code === TRUE || code === FALSE || code === NULL) {
      put(code === NULL ? null : code === TRUE);
      return at + (code === FALSE ? 'false'.length : 'true'.length);
    }
    NUMBER.lastIndex = at;
    const [source = ''] = NUMBER.exec(json) ?? [];
    put(readNumber(source));
    return at + source.length;
  };
  for (let at = 0; at < json.length;) {
    const code = json.charCodeAt(at);
    at = takeBetween(code) ? at + 1 : takeValue(code, at);
  }
  return root;
};
