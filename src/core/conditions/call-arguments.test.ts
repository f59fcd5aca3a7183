import { AbiCoder, FunctionFragment, hexlify } from 'ethers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hex } from '../../../test/support/account-call-data.ts';
import { callArguments } from './call-arguments.ts';

const sizes = Array.from({ length: 32 }, (_, index) => index + 1);
const types = ['address', 'bool', ...sizes.flatMap((size) => [`uint${8 * size}`, `int${8 * size}`, `bytes${size}`])];

/** Random words, more often boundary values and values with all bits of a smaller type set. */
const word = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc
    .tuple(fc.nat({ max: 32 }), fc.constantFrom(0, 255))
    .map(([zeros, byte]) => new Uint8Array(32).fill(0, 0, zeros).fill(byte, zeros)),
);

const decoded = (fragment: FunctionFragment, data: string): unknown[] => {
  try {
    return [...AbiCoder.defaultAbiCoder().decode(fragment.inputs, data)];
  } catch {
    return [];
  }
};

test('arguments of one word each are read as ethers reads them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...types), word), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: -40, max: 40 }),
      (params, more) => {
        const fragment = FunctionFragment.from(`function f(${params.map(([type]) => type).join(',')})`);
        const bytes = params.flatMap(([, value]) => [...value]);
        const data = hexlify(Uint8Array.from({ length: Math.max(0, bytes.length + more) }, (_, at) => bytes[at] ?? 7));
        const read = [...callArguments(fragment, hex(data)).values()];
        const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);
        expect(read).toEqual(decoded(fragment, data).map(lower));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('arguments are read by name and by position', () => {
  const fragment = FunctionFragment.from('function f(uint256 amount, (bool yes, string) pair)');
  const data = AbiCoder.defaultAbiCoder().encode(fragment.inputs, [5n, [true, 'Aa']]);
  const pair = new Map<unknown, unknown>([
    [0n, true],
    [1n, 'Aa'],
    ['yes', true],
  ]);
  expect(callArguments(fragment, hex(data))).toEqual(
    new Map<unknown, unknown>([
      [0n, 5n],
      [1n, pair],
      ['amount', 5n],
      ['pair', pair],
    ]),
  );
});
