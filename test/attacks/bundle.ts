import fc from 'fast-check';

/** What an attacker has mined, and how. */
export const bundle = fc.record({
  /** Which of the operations that are signed and not mined, newest first. */
  which: fc.oneof(fc.array(fc.nat(12), { minLength: 1, maxLength: 3 }), fc.constant([...Array(12).keys()])),
  alteration: fc.oneof(
    { weight: 3, arbitrary: fc.constant('none' as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        'append word',
        'append byte',
        'move offset',
        'raise limits',
        'compact signature',
        'mirrored s',
      ),
    },
  ),
  via: fc.constantFrom('bundler', 'bundler', 'scrambler'),
  gasPrice: fc.constantFrom('least', 'least', 'least', 'the operation’s', 'twenty times'),
  /** What a hostile account burns in validation, gas. */
  burns: fc.constantFrom(0n, 50_000n, 8_000_000n),
});

/** What an attacker has mined, and how. */
export type Bundle = typeof bundle extends fc.Arbitrary<infer T> ? T : never;
