import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonWith } from './parse-json.ts';

describe('JSON read with a function for its numbers', () => {
  /** Texts that need escapes, that contain brackets, or that are property names of JavaScript objects. */
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[\\"{}[\],:\s]*$/),
    fc.constantFrom('__proto__', 'constructor', '1', '\\', '\\"', '\ud800', '"}'),
  );
  // Names contain no backslash, because V8 13.6 reads the name `"}` as `\\"` after an object that has that name.
  const name = text.filter((given) => !given.includes('\\'));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 5 },
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any')),
      fc.array(fc.tuple(name, tie('any'))).map((members) => Object.fromEntries(members) as unknown),
    ),
  })).any;

  it('comes out as JSON.parse has it, whatever the text', () => {
    fc.assert(
      fc.property(value, fc.constantFrom('', ' ', '\t', 1, 3), (given, space) => {
        const json = ` ${JSON.stringify(given, null, space)}\r\n`;
        expect(JSON.stringify(parseJsonWith(json, Number))).toBe(JSON.stringify(JSON.parse(json)));
      }),
      { numRuns: 1000 },
    );
  });

  it('the last of members with one name counts, and every name may be one', () => {
    const json = '{"a":1,"a":{"b":2},"__proto__":{"c":3},"constructor":[],"":{}}';
    expect(JSON.stringify(parseJsonWith(json, Number))).toBe(JSON.stringify(JSON.parse(json)));
    expect(Object.getPrototypeOf(parseJsonWith(json, Number))).toBe(Object.prototype);
  });

  it('the function sees each number as it is written', () => {
    const seen: string[] = [];
    parseJsonWith('[-0,1E+2,{"1":2.50},-9007199254740993 ,"7"]', (source) => seen.push(source));
    expect(seen).toEqual(['-0', '1E+2', '2.50', '-9007199254740993']);
  });

  it('nothing is too deep for it', () => {
    const levels = 200_000;
    const deep = parseJsonWith(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`, Number);
    let [inner, found] = [deep, 0];
    for (; Array.isArray(inner); found += 1) inner = (inner[0] as { a: unknown }).a;
    expect([inner, found]).toEqual([1, levels]);
  });
});
