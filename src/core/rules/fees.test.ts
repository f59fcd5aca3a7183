import { expect, test } from 'vitest';
import { explainDenial } from '../rule-words.ts';
import { type FeeFacts, checkFees } from './fees.ts';

const GWEI = 10n ** 9n;
const usual: FeeFacts = {
  maxFeePerGasWei: 30n * GWEI,
  maxPriorityFeePerGasWei: GWEI,
  executionGas: 300_000n,
  preVerificationGas: 50_000n,
  mostPreVerificationGas: 250_000n,
  baseFeeWei: 10n * GWEI,
  suggestedTipWei: undefined,
  blockGasLimit: 30_000_000n,
  maxCostWei: 20_000_000n * 10n * GWEI,
  operatorCostWei: undefined,
  uncheckedCostWei: 10n ** 16n,
  ...{ l1DataGas: 0n, chainId: 8453, symbol: 'ETH' },
};
const judge = (facts: Partial<FeeFacts>) => checkFees({ ...usual, ...facts });

test.each([
  [0n, 7n, 'deny', 'FEE_TOO_LOW'],
  [6n, 7n, 'deny', 'FEE_TOO_LOW'],
  [7n, 7n, 'pass', 'FEE_COVERS_BASE'],
  [0n, 0n, 'pass', 'FEE_COVERS_BASE'],
  [0n, undefined, 'skip', 'BASE_FEE_UNKNOWN'],
])('a tank is not drained by an operation that offers %s where the base fee is %s', (offered, base, outcome, code) => {
  const verdict = judge({ maxFeePerGasWei: offered, baseFeeWei: base, maxCostWei: 0n });
  expect({ outcome: verdict.outcome, code: verdict.code }).toEqual({ outcome, code });
  expect(verdict.evidence).toMatchObject({ maxFeePerGasWei: String(offered) });
});

const GWEI_FIVE_THOUSANDTHS = 5n * 10n ** 6n;
const tipping = (gwei: bigint, suggestedTipWei?: bigint): Partial<FeeFacts> => ({
  ...{ baseFeeWei: 15n, maxFeePerGasWei: gwei * GWEI + 30n, maxPriorityFeePerGasWei: gwei * GWEI, suggestedTipWei },
  maxCostWei: 0n,
});
/** A layer 2 whose gas is nearly free. */
const cheap = (facts: Partial<FeeFacts>): Partial<FeeFacts> => ({
  ...{ baseFeeWei: GWEI_FIVE_THOUSANDTHS, suggestedTipWei: 10n ** 6n, maxFeePerGasWei: 10n ** 7n, maxCostWei: 0n },
  ...facts,
});
const bnb = (facts: Partial<FeeFacts>): Partial<FeeFacts> => ({
  ...{ baseFeeWei: 0n, suggestedTipWei: 10n ** 8n, maxFeePerGasWei: 10n ** 8n, maxPriorityFeePerGasWei: 10n ** 8n },
  ...{ maxCostWei: 1_800_000n * 10n ** 8n, ...facts },
});

test.each<[string, Partial<FeeFacts>, string]>([
  ['tips what the node suggests, on a chain with hardly a base fee', tipping(30n, 30n * GWEI), 'FEE_COVERS_BASE'],
  ['tips three times that', tipping(90n, 30n * GWEI), 'FEE_COVERS_BASE'],
  ['tips four times that', tipping(120n, 30n * GWEI), 'FEE_TOO_HIGH'],
  ['tips that where no node suggests it', tipping(30n), 'FEE_TOO_HIGH'],
  ['tips 10 gwei where the node suggests nothing', tipping(10n, 0n), 'FEE_TOO_HIGH'],
  ['tips 300 gwei on the word of a node', tipping(300n, 10n ** 18n), 'FEE_COVERS_BASE'],
  ['tips more than that on the word of a lying node', tipping(301n, 10n ** 18n), 'FEE_TOO_HIGH'],
  [
    'tips 10 gwei on a cheap layer 2',
    cheap({ maxPriorityFeePerGasWei: 10n * GWEI, maxFeePerGasWei: GWEI }),
    'FEE_TOO_HIGH',
  ],
  ['tips as much as its base fee there', cheap({ maxPriorityFeePerGasWei: GWEI_FIVE_THOUSANDTHS }), 'FEE_COVERS_BASE'],
  ['tips a wei more', cheap({ maxPriorityFeePerGasWei: 2n * GWEI, maxFeePerGasWei: 10n ** 7n + 1n }), 'FEE_TOO_HIGH'],
  ['pays what a node asks for that has no base fee', bnb({}), 'FEE_COVERS_BASE'],
  ['pays three times that', bnb({ maxFeePerGasWei: 3n * 10n ** 8n, maxPriorityFeePerGasWei: GWEI }), 'FEE_COVERS_BASE'],
  ['pays ten times that', bnb({ maxFeePerGasWei: GWEI, maxPriorityFeePerGasWei: GWEI }), 'FEE_TOO_HIGH'],
  ['offers ten times the base fee', { maxFeePerGasWei: 100n * GWEI }, 'FEE_COVERS_BASE'],
  ['offers more', { maxFeePerGasWei: 100n * GWEI + 1n }, 'FEE_TOO_HIGH'],
  [
    'offers ten times the base fee and a tip on a busy chain',
    { maxFeePerGasWei: 120n * GWEI, suggestedTipWei: 2n * GWEI },
    'FEE_COVERS_BASE',
  ],
  [
    'pays ten times the base fee, most of it to its bundler',
    { maxFeePerGasWei: 100n * GWEI, maxPriorityFeePerGasWei: 100n * GWEI },
    'FEE_TOO_HIGH',
  ],
  ['gives its bundler a fortune', { preVerificationGas: 10n ** 9n }, 'PRE_VERIFICATION_GAS_TOO_HIGH'],
  [
    'does so where no chain is asked',
    { preVerificationGas: 10n ** 9n, baseFeeWei: undefined },
    'PRE_VERIFICATION_GAS_TOO_HIGH',
  ],
  ['gives just enough', { preVerificationGas: 250_000n }, 'FEE_COVERS_BASE'],
  ['fits into no block', { executionGas: 29_950_001n }, 'GAS_ABOVE_BLOCK'],
  ['fills a block', { executionGas: 29_950_000n }, 'FEE_COVERS_BASE'],
  ['may cost a wei more than 20 million gas', { maxCostWei: 20_000_000n * 10n * GWEI + 1n }, 'OPERATION_COST_TOO_HIGH'],
  ['has to pay for its data as well', { maxCostWei: 20_000_000n * 10n * GWEI + 1n, l1DataGas: 1n }, 'FEE_COVERS_BASE'],
  ['may cost what the operator allows', { maxCostWei: 10n ** 19n, operatorCostWei: 10n ** 19n }, 'FEE_COVERS_BASE'],
  ['may cost more', { maxCostWei: 11n, operatorCostWei: 10n }, 'OPERATION_COST_TOO_HIGH'],
  ['may cost what is allowed unchecked', { maxCostWei: 10n ** 16n, baseFeeWei: undefined }, 'BASE_FEE_UNKNOWN'],
  ['may cost more than that', { maxCostWei: 10n ** 16n + 1n, baseFeeWei: undefined }, 'OPERATION_COST_TOO_HIGH'],
  [
    'may cost more than the operator allows unchecked',
    { maxCostWei: 11n, operatorCostWei: 10n, baseFeeWei: undefined },
    'OPERATION_COST_TOO_HIGH',
  ],
])('no bundler carries the tank away with an operation that %s', (_what, facts, code) => {
  expect(judge(facts).code).toBe(code);
});

test('who tips too much is told what the node suggests and how much would do', () => {
  const verdict = judge(tipping(120n, 30n * GWEI));
  expect(verdict.evidence).toMatchObject({ suggestedTipWei: '30000000000', mostWei: '90000000015' });
});

test('who offers too much is told how much would do', () => {
  const verdict = judge({ maxFeePerGasWei: 900n * GWEI });
  const { hint } = explainDenial('FEE_TOO_HIGH', verdict.evidence);
  expect(hint).toBe('Send it with a maxFeePerGas of at most 100000000000 wei.');
});

test.each<[string, Partial<FeeFacts>]>([
  ['offers too much', { maxFeePerGasWei: 900n * GWEI }],
  ['offers and tips too much', { maxFeePerGasWei: 900n * GWEI, maxPriorityFeePerGasWei: 900n * GWEI }],
  ['does so where no tip is suggested', tipping(30n, 0n)],
])('the hint for one who %s is enough when it is followed', (_what, facts) => {
  const { mostMaxFeePerGasWei } = judge(facts).evidence;
  expect(judge({ ...facts, maxFeePerGasWei: BigInt(String(mostMaxFeePerGasWei)) }).code).toBe('FEE_COVERS_BASE');
});
