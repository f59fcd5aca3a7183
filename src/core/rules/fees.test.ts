import { gasSchedules } from '../gas-schedules/schedules.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allEntryPoints, entryPoints } from '../entry-points/registry.ts';
import { explainDenial } from '../decision/rule-words.ts';
import { type Offer, surplusOf } from '../user-operation/bundler-surplus.ts';
import type { GasPrices } from '../user-operation/gas-prices.ts';
import { type FeeFacts, checkFees } from './fees.ts';
import { sized } from '../../../test/support/combinations.ts';

const GWEI = 10n ** 9n;
const pricesOf = (baseFeeWei: bigint, believedTipWei = 0n, believedBaseFeeWei = baseFeeWei): GasPrices => ({
  baseFeeWei,
  believedBaseFeeWei,
  believedTipWei,
  suggestedTipWei: believedTipWei,
});
const usualOffer: Offer = {
  unusedGasPenalty: entryPoints['0.7'].unusedGasPenalty,
  maxFeePerGasWei: 30n * GWEI,
  maxPriorityFeePerGasWei: GWEI,
  preVerificationGas: 50_000n,
  bundleGas: 48_000n,
  usualGas: 200_000n,
  limits: { callGasLimit: 120_000n, postOpGasLimit: 0n },
  callGasUsed: 100_000n,
};
const usual: Omit<FeeFacts, 'offer'> = {
  executionGas: 300_000n,
  transactionGas: 350_000n,
  schedule: gasSchedules.prague,
  prices: pricesOf(10n * GWEI),
  suggestedTipWei: undefined,
  isUseUnknown: false,
  otherAuthorizations: 0n,
  blockGasLimit: 30_000_000n,
  maxCostWei: 0n,
  operatorCostWei: undefined,
  uncheckedCostWei: 10n ** 19n,
  l1DataGas: 0n,
  chainId: 8453,
  symbol: 'ETH',
};
/** Differences from a usual operation on a usual chain. */
interface Difference extends Partial<FeeFacts> {
  readonly by?: Partial<Offer>;
}
const judge = ({ by, ...facts }: Difference) => checkFees({ ...usual, offer: { ...usualOffer, ...by }, ...facts });

test.each([
  [0n, 7n, 'deny', 'FEE_TOO_LOW'],
  [6n, 7n, 'deny', 'FEE_TOO_LOW'],
  [7n, 7n, 'pass', 'FEE_COVERS_BASE'],
  [0n, 0n, 'pass', 'FEE_COVERS_BASE'],
  [0n, undefined, 'skip', 'BASE_FEE_UNKNOWN'],
])('a tank is not drained by an operation that offers %s where the base fee is %s', (offered, base, outcome, code) => {
  const prices = base === undefined ? undefined : pricesOf(base);
  const verdict = judge({ by: { maxFeePerGasWei: offered }, prices });
  expect({ outcome: verdict.outcome, code: verdict.code }).toEqual({ outcome, code });
  expect(verdict.evidence).toMatchObject({ maxFeePerGasWei: String(offered) });
});

/**
 * An operation that gains only by its tip, on a chain with a base fee of 15 wei whose node suggests a tip of 30 gwei.
 */
const polygon = (gwei: bigint, believedGwei = 30n): Difference => ({
  by: {
    maxFeePerGasWei: gwei * GWEI + 30n,
    maxPriorityFeePerGasWei: gwei * GWEI,
    preVerificationGas: 48_000n,
    callGasUsed: 120_000n,
  },
  prices: pricesOf(15n, believedGwei * GWEI),
});
/** The same, but the node suggests this higher tip. */
const risen = (gwei: bigint, suggestedGwei: bigint): Difference => ({
  ...polygon(gwei),
  prices: { ...pricesOf(15n, 30n * GWEI), suggestedTipWei: suggestedGwei * GWEI },
});
/** A layer 2 whose gas is nearly free. */
const cheap = (by: Partial<Offer>): Difference => ({
  by: { maxFeePerGasWei: 10n ** 7n, ...by },
  prices: pricesOf(5_000_000n, 1_000_000n),
});
/** A chain without a base fee. */
const bnb = (gwei10: bigint): Difference => ({
  by: { maxFeePerGasWei: gwei10 * 10n ** 8n, maxPriorityFeePerGasWei: gwei10 * 10n ** 8n },
  prices: pricesOf(0n, 10n ** 8n),
});
const paying = (price: bigint): Partial<Offer> => ({ maxFeePerGasWei: price, maxPriorityFeePerGasWei: price });

test.each<[string, Difference, string]>([
  ['tips what is believed, on a chain with hardly a base fee', polygon(30n), 'FEE_COVERS_BASE'],
  ['tips twice that there', polygon(60n), 'FEE_COVERS_BASE'],
  ['tips two and a half times that', polygon(75n), 'FEE_TOO_HIGH'],
  ['tips three times that where the node suggests twice as much', risen(90n, 60n), 'FEE_COVERS_BASE'],
  ['tips more there, however much is suggested', risen(100n, 3_000n), 'FEE_TOO_HIGH'],
  ['tips what a node suggests that is not believed', polygon(300n, 100n), 'FEE_TOO_HIGH'],
  ['tips that where no tip is believed', polygon(30n, 0n), 'FEE_TOO_HIGH'],
  [
    'tips 10 gwei on a cheap layer 2',
    cheap({ maxPriorityFeePerGasWei: 10n * GWEI, maxFeePerGasWei: GWEI }),
    'FEE_TOO_HIGH',
  ],
  ['tips as much as its base fee there', cheap({ maxPriorityFeePerGasWei: 5_000_000n }), 'FEE_TOO_HIGH'],
  ['tips half as much again as is believed there', cheap({ maxPriorityFeePerGasWei: 1_500_000n }), 'FEE_COVERS_BASE'],
  ['pays what a node asks for that has no base fee', bnb(1n), 'FEE_COVERS_BASE'],
  ['pays twice that', bnb(2n), 'FEE_COVERS_BASE'],
  ['pays three times that', bnb(3n), 'FEE_TOO_HIGH'],
  ['offers ten times the base fee', { by: { maxFeePerGasWei: 100n * GWEI } }, 'FEE_COVERS_BASE'],
  ['offers more', { by: { maxFeePerGasWei: 100n * GWEI + 1n } }, 'FEE_TOO_HIGH'],
  [
    'offers ten times the base fee and a tip on a busy chain',
    { by: { maxFeePerGasWei: 120n * GWEI }, prices: pricesOf(10n * GWEI, 2n * GWEI) },
    'FEE_COVERS_BASE',
  ],
  ['pays twice the base fee to its bundler', { by: paying(20n * GWEI) }, 'FEE_TOO_HIGH'],
  [
    'pays a base fee that is not believed',
    { by: paying(30n * GWEI), prices: pricesOf(30n * GWEI, 0n, 20n * GWEI) },
    'FEE_TOO_HIGH',
  ],
  ['gives its bundler a fortune', { by: { preVerificationGas: 10n ** 9n } }, 'PRE_VERIFICATION_GAS_TOO_HIGH'],
  [
    'does so where no chain is asked',
    { by: { preVerificationGas: 10n ** 9n }, prices: undefined },
    'PRE_VERIFICATION_GAS_TOO_HIGH',
  ],
  [
    'gives twice what it costs where no chain is asked',
    { by: { preVerificationGas: 96_000n }, prices: undefined },
    'BASE_FEE_UNKNOWN',
  ],
  [
    'asks for ten million gas and uses nothing',
    { by: { limits: { callGasLimit: 10n ** 7n, postOpGasLimit: 0n } } },
    'CALL_GAS_TOO_HIGH',
  ],
  [
    'asks for ten million gas for a postOp',
    { by: { limits: { callGasLimit: 1n, postOpGasLimit: 10n ** 7n } } },
    'CALL_GAS_TOO_HIGH',
  ],
  [
    'uses all it asks for',
    { by: { limits: { callGasLimit: 10n ** 7n, postOpGasLimit: 0n }, callGasUsed: 10n ** 7n } },
    'FEE_COVERS_BASE',
  ],
  [
    'takes a little by each way',
    {
      by: {
        maxPriorityFeePerGasWei: GWEI,
        preVerificationGas: 60_000n,
        limits: { callGasLimit: 220_000n, postOpGasLimit: 0n },
      },
    },
    'FEE_TOO_HIGH',
  ],
  ['fits into no block', { executionGas: 29_950_001n }, 'GAS_ABOVE_BLOCK'],
  ['fills a block', { executionGas: 29_950_000n }, 'FEE_COVERS_BASE'],
  ['may cost 20 million gas', { maxCostWei: 20_000_000n * 10n * GWEI }, 'FEE_COVERS_BASE'],
  ['may cost a wei more', { maxCostWei: 20_000_000n * 10n * GWEI + 1n }, 'OPERATION_COST_TOO_HIGH'],
  ['has to pay for its data as well', { maxCostWei: 20_000_000n * 10n * GWEI + 1n, l1DataGas: 1n }, 'FEE_COVERS_BASE'],
  ['may cost what the operator allows', { maxCostWei: 10n ** 19n, operatorCostWei: 10n ** 19n }, 'FEE_COVERS_BASE'],
  ['may cost more', { maxCostWei: 11n, operatorCostWei: 10n }, 'OPERATION_COST_TOO_HIGH'],
  ['may cost what is allowed unchecked', { maxCostWei: 10n ** 19n, prices: undefined }, 'BASE_FEE_UNKNOWN'],
  ['may cost more than that', { maxCostWei: 10n ** 19n + 1n, prices: undefined }, 'OPERATION_COST_TOO_HIGH'],
  [
    'may cost more than that where a node says that gas is expensive',
    { maxCostWei: 10n ** 19n + 1n, prices: pricesOf(10n * GWEI, 10n ** 18n) },
    'OPERATION_COST_TOO_HIGH',
  ],
  [
    'may cost more than the operator allows unchecked',
    { maxCostWei: 11n, operatorCostWei: 10n, prices: undefined },
    'OPERATION_COST_TOO_HIGH',
  ],
])('no bundler carries the tank away with an operation that %s', (_what, facts, code) => {
  expect(judge(facts).code).toBe(code);
});

test('the evidence names what each part gives, what they come to and what they may', () => {
  const { evidence } = judge({
    by: { preVerificationGas: 90_000n, limits: { callGasLimit: 200_000n, postOpGasLimit: 0n } },
  });
  expect(evidence).toMatchObject({
    pricePerGasWei: '11000000000',
    priceSurplusWei: String(200_000n * GWEI),
    preVerificationSurplusWei: String(42_000n * 11n * GWEI),
    penaltyWei: String(10_000n * 11n * GWEI),
    surplusWei: String(772_000n * GWEI),
    mostSurplusWei: String(300_000n * GWEI),
  });
});

const uint = (max: bigint): fc.Arbitrary<bigint> => fc.bigInt({ min: 0n, max });
const offers = fc
  .record({
    unusedGasPenalty: fc.constantFrom(...allEntryPoints.map(({ unusedGasPenalty }) => unusedGasPenalty)),
    maxFeePerGasWei: uint(1_000n * GWEI),
    maxPriorityFeePerGasWei: uint(1_000n * GWEI),
    preVerificationGas: uint(10n ** 7n),
    bundleGas: fc.bigInt({ min: 40_000n, max: 10n ** 6n }),
    usualGas: fc.bigInt({ min: 90_000n, max: 10n ** 7n }),
    limits: fc.record({ callGasLimit: uint(10n ** 7n), postOpGasLimit: uint(10n ** 6n) }),
    callGasUsed: uint(10n ** 6n),
  })
  .map(({ callGasUsed, limits, ...offer }): Offer => ({
    ...offer,
    limits,
    callGasUsed: callGasUsed < limits.callGasLimit ? callGasUsed : limits.callGasLimit,
  }));
const chains = fc
  .tuple(uint(100n * GWEI), uint(100n * GWEI))
  .map(([baseFeeWei, believedTipWei]) => pricesOf(baseFeeWei, believedTipWei));

/** The values that a hint recommends, by field name. */
const saidIn = (hint: string): Readonly<Record<string, bigint>> =>
  Object.fromEntries(
    [...hint.matchAll(/an? (\w+) of at most (\d+)/g)].map(([, field, most]) => [field, BigInt(most!)] as const),
  ) as Readonly<Record<string, bigint>>;

test('whatever is too high, the values that the hint names pass, and the hint asks for no more than it has to', () => {
  fc.assert(
    fc.property(offers, chains, fc.boolean(), (offer, prices, byTip) => {
      const facts: FeeFacts = { ...usual, offer, prices, blockGasLimit: undefined };
      const verdict = checkFees(facts);
      if (verdict.outcome !== 'deny' || verdict.code === 'FEE_TOO_LOW') return;
      const said = saidIn(explainDenial(verdict.code, verdict.evidence).hint);
      expect(Object.keys(said)).not.toEqual([]);
      const { maxFeePerGas, maxPriorityFeePerGas } = said;
      const lowered = {
        ...offer,
        preVerificationGas: said['preVerificationGas'] ?? offer.preVerificationGas,
        limits: {
          callGasLimit: said['callGasLimit'] ?? offer.limits.callGasLimit,
          postOpGasLimit: said['paymasterPostOpGasLimit'] ?? offer.limits.postOpGasLimit,
        },
        ...(byTip && maxPriorityFeePerGas !== undefined
          ? { maxPriorityFeePerGasWei: maxPriorityFeePerGas }
          : { maxFeePerGasWei: maxFeePerGas ?? offer.maxFeePerGasWei }),
      };
      expect(checkFees({ ...facts, offer: lowered }).code).toBe('FEE_COVERS_BASE');
      expect(lowered.limits.callGasLimit).toBeGreaterThanOrEqual(offer.callGasUsed);
    }),
    { numRuns: sized(2_000, 400) },
  );
});

test('whatever passes, a bundler gains at most 14 % of what is charged, where the tip is not most of the price', () => {
  fc.assert(
    fc.property(offers, chains, uint(10n ** 7n), (offer, prices, more) => {
      fc.pre(prices.believedTipWei <= prices.baseFeeWei);
      if (checkFees({ ...usual, offer, prices, blockGasLimit: undefined }).outcome !== 'pass') return;
      // If an account uses more gas than usual, its bundler pays for that gas.
      const metered = offer.usualGas + more;
      const { parts, pricePerGasWei } = surplusOf(offer, prices);
      const given = parts.preVerification + parts.penalty;
      const charged = metered * pricePerGasWei + given;
      const gain = charged - metered * (prices.baseFeeWei + prices.believedTipWei);
      expect(gain * 100n).toBeLessThanOrEqual(charged * 14n);
    }),
    { numRuns: sized(2_000, 400) },
  );
});

test('a base fee that is not believed cannot be offered: the hint says to wait for it', () => {
  const { evidence } = judge({ by: paying(30n * GWEI), prices: pricesOf(30n * GWEI, 0n, 20n * GWEI) });
  expect(explainDenial('FEE_TOO_HIGH', evidence).hint).toMatch(/^Send it again later/);
});
