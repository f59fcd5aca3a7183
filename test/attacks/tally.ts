/** What was done so far, for whoever reads of it. */
export interface Tally {
  runs: number;
  asked: number;
  signed: number;
  mined: number;
  /** What paymasters paid, wei. */
  paidWei: bigint;
  /** What 1.1.0 and 1.0.0 debited only because the bundler paid more for gas than the operation offers, wei. */
  bundlersOwnPriceWei: bigint;
  /** The most that a bundler was given above its cost for one operation, wei. */
  mostGainWei: bigint;
  /** What the desk answered, and how often. */
  readonly answers: Map<string, number>;
}

/** A tally of nothing. */
export const newTally = (): Tally => ({
  ...{ runs: 0, asked: 0, signed: 0, mined: 0 },
  ...{ paidWei: 0n, bundlersOwnPriceWei: 0n, mostGainWei: 0n },
  answers: new Map(),
});
