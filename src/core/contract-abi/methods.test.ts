import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EngineError } from '../../shared/errors.ts';
import { stateChangingMethods, whitelisted } from './methods.ts';

type Entry = Record<string, unknown>;

const fn = (name: string, inputs: unknown = [], more: Entry = {}): Entry => ({
  type: 'function',
  name,
  inputs,
  stateMutability: 'nonpayable',
  ...more,
});
const types = (...names: string[]) => names.map((type) => ({ name: 'x', type }));
const methodsOf = (...entries: unknown[]) => stateChangingMethods(JSON.stringify(entries));
const labels = (...entries: unknown[]) => methodsOf(...entries).map(({ label }) => label);
const signatures = (...entries: unknown[]) => methodsOf(...entries).map(({ signature }) => signature);

const errorOf = (abi: string): unknown => {
  try {
    return stateChangingMethods(abi);
  } catch (error) {
    return error instanceof EngineError ? `${error.code}: ${error.message}` : error;
  }
};
const NO_ABI = 'VALIDATION: abi must be a JSON ABI string';

describe('which functions can be sponsored', () => {
  test('those that change state, in the order of the ABI, by name', () => {
    const view = fn('view', [], { stateMutability: 'view' });
    const pure = fn('pure', [], { stateMutability: 'pure' });
    const others = ['constructor', 'fallback', 'receive', 'event', 'error'].map((type) => ({ type, name: 'other' }));
    expect(labels(fn('b'), view, ...others, fn('a', [], { stateMutability: 'payable' }), pure)).toEqual(['b', 'a']);
  });

  test('overloads by their signatures, each selector its own', () => {
    const methods = methodsOf(fn('mint', types('uint256')), fn('mint', types('uint256', 'address')), fn('burn'));
    expect(methods.map(({ label, selector }) => [label, selector])).toEqual([
      ['mint(uint256)', '0xa0712d68'],
      ['mint(uint256,address)', '0x94bf804d'],
      ['burn', '0x44df8e70'],
    ]);
  });

  test('a view overload does not make the other one a longer name', () => {
    expect(labels(fn('get'), fn('get', types('uint256'), { stateMutability: 'view' }))).toEqual(['get']);
  });

  test('the same function twice is one', () => {
    expect(labels(fn('mint', types('uint')), fn('mint', types('uint256')))).toEqual(['mint']);
  });

  test.each<[name: string, more: Entry, sponsored: boolean]>([
    ['constant', { constant: true, payable: false }, false],
    ['not constant', { constant: false, payable: false }, true],
    ['payable', { constant: false, payable: true }, true],
    ['neither said', {}, true],
    ['both ways said', { constant: true, stateMutability: 'nonpayable' }, true],
  ])('ABIs older than stateMutability: %s', (_name, more, sponsored) => {
    const { stateMutability: _unsaid, ...old } = fn('old');
    expect(labels({ ...old, ...more })).toEqual(sponsored ? ['old'] : []);
  });

  test('an entry without a type is a function, as the ABI specification says', () => {
    const { type: _unsaid, ...entry } = fn('f');
    expect(labels(entry)).toEqual(['f']);
  });
});

test.each<[inputs: unknown, signature: string]>([
  [types('uint', 'int', 'uint[]'), 'f(uint256,int256,uint256[])'],
  [types('bytes32', 'bytes', 'string', 'bool', 'address'), 'f(bytes32,bytes,string,bool,address)'],
  [types('uint8[3][]', 'bytes4[2]'), 'f(uint8[3][],bytes4[2])'],
  [[{ type: 'tuple', components: types('uint', 'address[]') }], 'f((uint256,address[]))'],
  [
    [{ type: 'tuple[2]', components: [{ type: 'tuple', components: types('bool') }, ...types('bytes')] }],
    'f(((bool),bytes)[2])',
  ],
  [[{ type: 'tuple', components: [] }], 'f(())'],
  [[{ type: 'address', internalType: 'contract IERC20', name: 'not-an-identifier' }], 'f(address)'],
])('the canonical signature of %j is %s', (inputs, signature) => {
  expect(signatures(fn('f', inputs))).toEqual([signature]);
});

test('the selectors of a real contract are those its compiler wrote down', () => {
  const read = (name: string) =>
    JSON.parse(readFileSync(new URL(`../../../resources/contracts/${name}.json`, import.meta.url), 'utf8')) as {
      abi: unknown[];
    };
  const selectors = Object.fromEntries(
    methodsOf(...read('SimpleAccount').abi).map(({ signature, selector }) => [signature, selector]),
  );
  expect(selectors).toMatchObject({
    'execute(address,uint256,bytes)': '0xb61d27f6',
    'executeBatch(address[],bytes[])': '0x18dfb3c7',
  });
});

describe('what is no ABI', () => {
  const nest = (levels: number): string =>
    `${'{"type":"tuple","components":['.repeat(levels)}{"type":"bool"}${']}'.repeat(levels)}`;
  const nested = (levels: number) => `[{"type":"function","name":"f","inputs":[${nest(levels)}]}]`;
  const one = (entry: unknown) => JSON.stringify([entry]);

  test.each<[name: string, abi: string]>([
    ['nothing', ''],
    ['no JSON', '['],
    ['an object', '{"abi":[]}'],
    ['text', '"[]"'],
    ['null', 'null'],
    ['human-readable', '["function f()"]'],
    ['a list in a list', '[[]]'],
    ['null in the list', '[null]'],
    ['a type that is no text', one({ type: 7 })],
    ['a function without name', one({ type: 'function', inputs: [] })],
    ['a name that is no text', one(fn('f', [], { name: 7 }))],
    ['an empty name', one(fn(''))],
    ['a name that forges a signature', one(fn('mint(uint256)'))],
    ['a name with a space', one(fn('a b'))],
    ['a name with a NUL', one(fn('a\u0000'))],
    ['a name of a megabyte', one(fn('a'.repeat(1_000_000)))],
    ['inputs that are no list', one(fn('f', {}))],
    ['inputs null', one(fn('f', null))],
    ['an input null', one(fn('f', [null]))],
    ['an input as text', one(fn('f', ['uint256']))],
    ['an input without type', one(fn('f', [{}]))],
    ['an unknown type', one(fn('f', types('uint7')))],
    ['a type too wide', one(fn('f', types('uint264')))],
    ['bytes too wide', one(fn('f', types('bytes33')))],
    ['a type with a leading zero', one(fn('f', types('bytes032')))],
    ['an array of none', one(fn('f', types('bool[0]')))],
    ['an array of minus one', one(fn('f', types('bool[-1]')))],
    ['an array too long to write down', one(fn('f', types('bool[99999999999999999999]')))],
    ['an array of arrays of arrays …', one(fn('f', types(`bool${'[]'.repeat(250_000)}`)))],
    ['a tuple without components', one(fn('f', types('tuple')))],
    ['a tuple as text', one(fn('f', types('(bool,bool)')))],
    ['an unknown stateMutability', one(fn('f', [], { stateMutability: 'free' }))],
    ['stateMutability null', one(fn('f', [], { stateMutability: null }))],
    ['a tuple in a tuple in a tuple …', nested(100)],
    ['the same a thousandfold', nested(1000)],
    ['the same until the stack ends', nested(20_000)],
    ['lists in lists', '['.repeat(200_000)],
    ['more entries than any contract has', JSON.stringify(Array.from({ length: 5001 }, () => ({ type: 'event' })))],
    ['half a surrogate pair', '[{"type":"event","name":"\ud800"}]'],
  ])('%s', (_name, abi) => {
    expect(errorOf(abi)).toBe(NO_ABI);
  });

  test('whatever the text, it is an ABI or refused as none', () => {
    const type = fc.constantFrom('uint', 'bool', 'tuple', 'bytes', 'address[]', 'string', '__proto__', 'x');
    const text = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.record({ type: fc.constant('function'), name: fc.string(), inputs: fc.array(fc.record({ type })) }))
        .map((entries) => JSON.stringify(entries)),
    );
    fc.assert(
      fc.property(text, (abi) => {
        const result = errorOf(abi);
        if (!Array.isArray(result)) expect(result).toBe(NO_ABI);
      }),
    );
  });

  test('names that JavaScript has for itself are names like any other', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    expect(labels(...names.map((name) => fn(name)))).toEqual(names);
  });
});

describe('what a whitelist names', () => {
  const methods = methodsOf(fn('mint', types('uint256')), fn('mint', types('address')), fn('burn', types('uint256')));
  const named = (...entries: string[]) => whitelisted(methods, entries).map(({ signature }) => signature);

  test.each<[entries: string[], methods: string[]]>([
    [[], []],
    [['burn'], ['burn(uint256)']],
    [['burn(uint256)'], ['burn(uint256)']],
    [['mint'], ['mint(uint256)', 'mint(address)']],
    [['mint(address)'], ['mint(address)']],
    [['burn', 'burn', 'burn(uint256)'], ['burn(uint256)']],
  ])('%j', (entries, expected) => {
    expect(named(...entries)).toEqual(expected);
  });

  test.each(['sell', 'Mint', 'mint ', '', 'mint(uint)', 'mint(uint256,address)', '0xa0712d68', '__proto__'])(
    'a stranger, %j, is refused by its name',
    (entry) => {
      expect(() => named('burn', entry)).toThrow(`Unknown method: ${entry}`);
    },
  );

  test('a name of a megabyte is not thrown back whole', () => {
    const length = (entry: string): number => {
      try {
        return named(entry).length;
      } catch (error) {
        return (error as EngineError).message.length;
      }
    };
    expect(length('x'.repeat(1_000_000))).toBeLessThan(300);
  });
});
