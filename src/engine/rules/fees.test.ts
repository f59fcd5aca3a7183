import { expect, test } from 'vitest';
import { type FeeFacts, feesRule } from './fees.ts';

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
};
const judge = (facts: Partial<FeeFacts>) => feesRule.check(null, { ...usual, ...facts });

test.each([
  [0n, 7n, 'deny', 'FEE_TOO_LOW'],
  [6n, 7n, 'deny', 'FEE_TOO_LOW'],
  [7n, 7n, 'pass', 'FEE_COVERS_BASE'],
  [0n, 0n, 'pass', 'FEE_COVERS_BASE'],
  [0n, undefined, 'skip', 'BASE_FEE_UNKNOWN'],
])('a tank is not drained by an operation that offers %s where the base fee is %s', (offered, base, outcome, code) => {
  const verdict = judge({ maxFeePerGasWei: offered, baseFeeWei: base });
  expect({ outcome: verdict.outcome, code: verdict.code }).toEqual({ outcome, code });
  expect(verdict.evidence).toMatchObject({ maxFeePerGasWei: String(offered) });
});

const tipping = (gwei: bigint, suggestedTipWei?: bigint): Partial<FeeFacts> => ({
  ...{ baseFeeWei: 15n, maxFeePerGasWei: gwei * GWEI + 30n, maxPriorityFeePerGasWei: gwei * GWEI, suggestedTipWei },
});

test.each<[string, Partial<FeeFacts>, string]>([
  ['tips what the node suggests, on a chain with hardly a base fee', tipping(30n, 30n * GWEI), 'FEE_COVERS_BASE'],
  ['tips three times that', tipping(90n, 30n * GWEI), 'FEE_COVERS_BASE'],
  ['tips four times that', tipping(120n, 30n * GWEI), 'FEE_TOO_HIGH'],
  ['tips that where no node suggests it', tipping(30n), 'FEE_TOO_HIGH'],
  ['tips 10 gwei where the node suggests nothing', tipping(10n, 0n), 'FEE_COVERS_BASE'],
  ['tips 300 gwei on the word of a node', tipping(300n, 10n ** 18n), 'FEE_COVERS_BASE'],
  ['tips more than that on the word of a lying node', tipping(301n, 10n ** 18n), 'FEE_TOO_HIGH'],
  [
    'pays up to ten times the base fee',
    { maxFeePerGasWei: 110n * GWEI, maxPriorityFeePerGasWei: 110n * GWEI },
    'FEE_COVERS_BASE',
  ],
  ['pays more', { maxFeePerGasWei: 110n * GWEI + 1n, maxPriorityFeePerGasWei: 110n * GWEI }, 'FEE_TOO_HIGH'],
  ['allows more, but would not pay it', { maxFeePerGasWei: 900n * GWEI }, 'FEE_COVERS_BASE'],
  [
    'tips 10 gwei where gas is nearly free',
    { ...{ baseFeeWei: 8n, maxPriorityFeePerGasWei: 10n * GWEI } },
    'FEE_COVERS_BASE',
  ],
  [
    'tips 10,000 gwei there',
    { baseFeeWei: 8n, maxFeePerGasWei: 10n ** 13n, maxPriorityFeePerGasWei: 10n ** 13n },
    'FEE_TOO_HIGH',
  ],
  ['gives its bundler a fortune', { preVerificationGas: 10n ** 9n }, 'PRE_VERIFICATION_GAS_TOO_HIGH'],
  [
    'does so where no chain is asked',
    { preVerificationGas: 10n ** 9n, baseFeeWei: undefined },
    'PRE_VERIFICATION_GAS_TOO_HIGH',
  ],
  ['gives just enough', { preVerificationGas: 250_000n }, 'FEE_COVERS_BASE'],
  ['fits into no block', { executionGas: 30_000_001n }, 'GAS_ABOVE_BLOCK'],
  ['fills a block', { executionGas: 30_000_000n }, 'FEE_COVERS_BASE'],
])('no bundler carries the tank away with an operation that %s', (_what, facts, code) => {
  expect(judge(facts).code).toBe(code);
});

test('who tips too much is told what the node suggests and how much would do', () => {
  const verdict = judge(tipping(120n, 30n * GWEI));
  expect(verdict.evidence).toMatchObject({ suggestedTipWei: '30000000000', mostWei: '90000000150' });
});
