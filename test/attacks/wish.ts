import fc from 'fast-check';

const weighted = <T>(weight: number, usual: T, others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: weight * others.length, arbitrary: fc.constant(usual) },
    ...others.map((value) => ({ weight: 1, arbitrary: fc.constant(value) })),
  );

/** One value nearly always, seldom one of the others. */
const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> => weighted(10, usual, others);
/** One value in three of four cases. */
const oftener = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> => weighted(3, usual, others);

const GWEI = 1_000_000_000n;
const HUGE = (1n << 120n) - 1n;

const any = fc.record({
  /** Which DApp's API key is used. */
  dapp: fc.nat(7),
  /** Which of the attacker's accounts. */
  sender: fc.constantFrom<number[]>(0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 4),
  /** Which of the account's sequences of nonces. */
  nonceKey: fc.constantFrom<number[]>(0, 0, 0, 0, 1, 2, 3, 4, 5),
  nonce: mostly<'next' | 'queued' | 'used'>('next', 'queued', 'used'),
  call: mostly<'mint' | 'burn' | 'transfer' | 'nonsense'>('mint', 'burn', 'transfer', 'nonsense'),
  callGasLimit: mostly(100_000n, 1n, 29_000_000n, HUGE),
  verificationGasLimit: mostly(150_000n, 60_000n, 500_000n, 20_000_000n, HUGE),
  /** What a bundler is given besides what it uses: for how many bytes of a signature that is replaced before it is mined. */
  given: oftener(
    { preVerificationGas: 60_000n, signatureBytes: 65 },
    { preVerificationGas: 310_000n, signatureBytes: 65 },
    { preVerificationGas: 420_000n, signatureBytes: 3_000 },
    { preVerificationGas: 6_000_000n, signatureBytes: 100_000 },
    { preVerificationGas: HUGE, signatureBytes: 65 },
    { preVerificationGas: 60_000n, signatureBytes: 0 },
  ),
  /** What is offered per gas, and how much of it is the bundler's. Wei. */
  fees: oftener(
    { maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: 1n },
    { maxFeePerGas: GWEI, maxPriorityFeePerGas: 0n },
    { maxFeePerGas: GWEI / 2n, maxPriorityFeePerGas: 1n },
    { maxFeePerGas: 19n * GWEI, maxPriorityFeePerGas: 18n * GWEI },
    { maxFeePerGas: 1_000n * GWEI, maxPriorityFeePerGas: GWEI },
    { maxFeePerGas: HUGE, maxPriorityFeePerGas: HUGE },
  ),
  expiryDuration: mostly(300, 30, 900, 3_600, 86_400),
  letters: mostly<'lower' | 'upper' | 'mixed'>('lower', 'upper', 'mixed'),
  estimates: mostly(false, true),
  dialect: mostly<'biconomy' | 'erc7677' | 'pimlico'>('biconomy', 'erc7677', 'pimlico'),
});

const GREEDY_FEES = { maxFeePerGas: 19n * GWEI, maxPriorityFeePerGas: 18n * GWEI };
/** What goes together where the attacker is the bundler: chance alone would take hours to find it. */
const greed = mostly<object>(
  {},
  { fees: GREEDY_FEES, given: { preVerificationGas: 6_000_000n, signatureBytes: 100_000 } },
  { fees: GREEDY_FEES, sender: 2, verificationGasLimit: 20_000_000n },
);

/** What an attacker asks to be sponsored. */
export type Wish = typeof any extends fc.Arbitrary<infer T> ? T : never;

/** What an attacker asks to be sponsored. */
export const wish: fc.Arbitrary<Wish> = fc.tuple(any, greed).map(([wanted, more]) => ({ ...wanted, ...more }));
