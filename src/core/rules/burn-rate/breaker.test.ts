import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explainDenial } from '../../decision/rule-words.ts';
import { breakerOf } from './breaker.ts';
import { checkBurnRate } from './burn-rate.ts';

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;
const chainId = 31337;
const fees = { baseFeeWei: String(GWEI), believedBaseFeeWei: String(GWEI), believedTipWei: String(GWEI) };
const gasSchedule = 'prague' as const;
const settings = { breaker: 'default', maxOperationCostWei: null } as const;
const policy = { dapp: { chainId }, chain: settings };
const holding = (depositsWei: bigint) =>
  ({ gasSchedule, chain: { ...fees, depositsWei: String(depositsWei) } }) as const;
/** The cost of twenty operations of 2 million gas each, at twice the base fee plus the tip. */
const FLOOR = 20n * 2_000_000n * 3n * GWEI;

describe('the default breaker', () => {
  test('is a quarter of what the gas tanks of the chain hold, per hour', () => {
    expect(breakerOf(policy, holding(10n * ETHER))).toEqual({
      thresholdWei: (10n * ETHER) / 4n,
      seconds: 3_600,
      origin: 'deposits',
    });
  });

  test.each([0n, 1n, 4n * FLOOR - 4n])(
    'lets twenty usual operations pass where the tanks hold %s wei',
    (depositsWei) => {
      expect(breakerOf(policy, holding(depositsWei))).toEqual({
        thresholdWei: FLOOR,
        seconds: 3_600,
        origin: 'operations',
      });
    },
  );

  test('counts a usual operation at the most that one may cost, whatever a node says of fees', () => {
    const { chain } = holding(0n);
    const lying = { gasSchedule, chain: { ...chain, believedBaseFeeWei: String(10n ** 6n * GWEI) } } as const;
    expect(breakerOf(policy, lying)?.thresholdWei).toBe(20n * (ETHER / 10n));
    const set = { ...policy, chain: { ...settings, maxOperationCostWei: String(7n) } };
    expect(breakerOf(set, lying)?.thresholdWei).toBe(140n);
  });

  test.each([
    ['no node answers', policy, { gasSchedule, chain: null }],
    ['nobody read what the tanks hold', policy, { gasSchedule, chain: fees }],
    ['the operator switched it off', { ...policy, chain: { ...settings, breaker: null } }, holding(ETHER)],
    ['the chain has no settings', { ...policy, chain: null }, holding(ETHER)],
  ])('applies to no operation where %s', (_what, of, facts) => {
    expect(breakerOf(of, facts)).toBeUndefined();
  });

  test('is no less where the tanks hold more', () => {
    const wei = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(wei, wei, (deposits, more) => {
        const [one, other] = [breakerOf(policy, holding(deposits)), breakerOf(policy, holding(deposits + more))];
        expect(other!.thresholdWei >= one!.thresholdWei).toBe(true);
      }),
    );
  });

  test('says in a denial where its amount comes from', () => {
    const common = { chainId, threshold: ETHER / 4n, seconds: 3_600, used: ETHER / 4n, amount: 1n };
    const words = (facts: object) => {
      const { code, evidence } = checkBurnRate({ ...common, ...facts });
      return explainDenial(code, { ...evidence, symbol: 'ETH' }).message;
    };
    expect(words({ origin: 'deposits', depositsWei: String(ETHER) })).toMatch(
      /paused\. The amount is the default: a quarter of what the chain's gas tanks hold, 1 ETH\.$/,
    );
    expect(words({ origin: 'operations', dapp: 'Game', paymasterId: 'g' })).toMatch(
      /paused\. The amount is half of the default: what 20 usual operations may cost\.$/,
    );
    expect(words({})).toMatch(/paused\.$/);
  });
});

test('a breaker that the operator has set applies as set, with or without a node', () => {
  const set = { ...policy, chain: { ...settings, breaker: { amountWei: '5', seconds: 60 } } };
  expect(breakerOf(set, { gasSchedule, chain: null })).toEqual({ thresholdWei: 5n, seconds: 60, origin: 'set' });
});
