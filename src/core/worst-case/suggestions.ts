import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { shownAmount } from '../../shared/words/amount.ts';
import { chainSymbol } from '../../shared/chains.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { type LimitWords, cycleMs, limitSetup } from '../rules/spending-limit/index.ts';
import { deploymentSetup } from '../rules/wallet-deployment.ts';
import type { Situation } from './attack-operation.ts';
import { type Bounds, type HeldNow, type PerPeriod, type Period, boundsOf } from './bounds.ts';

/** What an operator can do to reduce the worst case. */
export type Change =
  'limitForAll' | 'limitPerUser' | 'maxOperationCost' | 'breaker' | 'walletDeploymentOff' | 'tankShare' | 'tank';

/** A change, and the worst case after it. */
export interface Suggestion {
  readonly change: Change;
  /** The change's effect on the worst case, and the reason. */
  readonly sentence: string;
  /** In wei; null if nothing stops an attacker. */
  readonly amountsWei: PerPeriod<bigint | null>;
}

/** The maximum amounts that an attacker can spend, in wei; null if nothing stops the attacker. */
const amountsOf = ({ ladders }: Bounds): PerPeriod<bigint | null> => {
  const first = (period: Period): bigint | null => ladders[period][0]?.amountWei ?? null;
  return { atOnce: first('atOnce'), hour: first('hour'), day: first('day') };
};

/** A change whose effect is still to be computed, with the resulting policy and tank. */
interface Draft {
  readonly change: Change;
  /** The change, as the subject of a sentence. */
  readonly subject: string;
  /** Why the change lowers the worst case by this amount, if it does. */
  readonly because: string;
  readonly policy: Policy;
  readonly situation?: Situation;
}

/** A tenth of an amount, rounded to one digit, as an operator would set it. */
const aTenth = (wei: bigint): bigint => {
  const tenth = wei / 10n;
  const unit = 10n ** BigInt(Math.max(0, String(tenth).length - 1));
  return tenth < unit ? 1n : (tenth / unit) * unit;
};

const A_DAY = { value: 1, unit: 'day' } as const;

const withDailyLimit = (policy: Policy, at: number, words: Omit<LimitWords, 'cycleDuration'>): Policy => {
  const limit = { ...words, cycleDuration: A_DAY };
  const policyData = { ...limit, startTimeInEpoch: at, durationInMs: cycleMs(A_DAY) };
  const rule: PolicyRule = {
    ruleId: 'suggested',
    name: 'suggested',
    policyType: limitSetup.policyType,
    policyData,
    active: true,
    cycle: 0,
  };
  return { ...policy, rules: [...policy.rules, rule] };
};

const NO_CHAIN = { name: null, symbol: null, breaker: null, unreachableBudgetWei: null, maxOperationCostWei: null };

const limitForAll = (policy: Policy, at: number, wei: bigint, coin: string): Draft => ({
  change: 'limitForAll',
  subject: `A limit for all users together of ${shownAmount(wei)} ${coin} a day`,
  because: 'new accounts do not get around it; any 24 hours can overlap two daily windows',
  policy: withDailyLimit(policy, at, {
    type: 'PAYMASTER',
    thresholdType: 'NATIVE_ASSET',
    threshold: weiToDecimal(wei),
  }),
});

const limitPerUser = (policy: Policy, at: number): Draft => ({
  change: 'limitPerUser',
  subject: 'A limit per user of 5 operations a day',
  because: 'it counts each account by itself',
  policy: withDailyLimit(policy, at, { type: 'SMART_ACCOUNT', thresholdType: 'COUNT', threshold: '5' }),
});

const maxOperationCost = (policy: Policy, wei: bigint, coin: string): Draft => ({
  change: 'maxOperationCost',
  subject: `At most ${shownAmount(wei)} ${coin} for one operation`,
  because: 'what stops an attacker counts operations',
  policy: { ...policy, chain: { ...(policy.chain ?? NO_CHAIN), maxOperationCostWei: String(wei) } },
});

const breaker = (policy: Policy, wei: bigint, coin: string): Draft => ({
  change: 'breaker',
  subject: `A burn-rate breaker of ${shownAmount(wei)} ${coin} an hour`,
  because: 'nothing more is signed in any hour, and anyone who exceeds it pauses the DApp',
  policy: { ...policy, chain: { ...(policy.chain ?? NO_CHAIN), breaker: { amountWei: String(wei), seconds: 3_600 } } },
});

const isDeploymentRule = ({ policyType, active }: PolicyRule): boolean =>
  policyType === deploymentSetup.policyType && active;

const walletDeploymentOff = (policy: Policy): Draft => ({
  change: 'walletDeploymentOff',
  subject: 'Sponsoring no deployments',
  because: 'accounts cost the attacker something',
  policy: { ...policy, rules: policy.rules.filter((rule) => !isDeploymentRule(rule)) },
});

const tankShare = (policy: Policy): Draft => {
  const percent = Math.max(1, Math.floor(policy.outstandingSharePercent / 2));
  return {
    change: 'tankShare',
    subject: `A share of ${percent} % of the gas tank`,
    because: 'this DApp may have less outstanding until its operations are mined',
    policy: { ...policy, outstandingSharePercent: percent },
  };
};

const halfTank = (policy: Policy, situation: Situation): Draft[] => {
  const { chain } = situation;
  if (chain === null) return [];
  const balanceWei = String(BigInt(chain.balanceWei) / 2n);
  return [
    {
      change: 'tank',
      subject: 'Half as much in the gas tank',
      because: 'what is not in it cannot be spent',
      policy,
      situation: { ...situation, chain: { ...chain, balanceWei } },
    },
  ];
};

const drafts = (policy: Policy, situation: Situation, bounds: Bounds): Draft[] => {
  const { operation } = bounds;
  if (operation === undefined) return [];
  const coin = chainSymbol(policy.dapp.chainId, policy.chain);
  const { at, shared } = situation;
  const whatever = 100n * operation.costWei;
  const { hour, day } = amountsOf(bounds);
  return [
    limitForAll(policy, at, aTenth(day ?? whatever), coin),
    breaker(policy, aTenth(hour ?? whatever), coin),
    maxOperationCost(policy, aTenth(operation.costWei), coin),
    ...halfTank(policy, situation),
    ...(shared.byDapps ? [tankShare(policy)] : []),
    limitPerUser(policy, at),
    ...(policy.rules.some(isDeploymentRule) ? [walletDeploymentOff(policy)] : []),
  ];
};

/** Most important period first. The attack that can last longest is the worst. */
const BY_WEIGHT: readonly Period[] = ['day', 'hour', 'atOnce'];
const NAMES: PerPeriod<string> = {
  atOnce: 'what it can cost at once',
  hour: 'the worst case of an hour',
  day: 'the daily worst case',
};

const isLess = (one: bigint | null, other: bigint | null): boolean => one !== null && (other === null || one < other);

/** The change and what it lowers; undefined if no amount that people see becomes lower. */
const sentenceOf = (
  { subject, because }: Draft,
  before: PerPeriod<bigint | null>,
  after: PerPeriod<bigint | null>,
  coin: string,
): string | undefined => {
  const words = (wei: bigint | null): string => (wei === null ? 'whatever there is' : `${shownAmount(wei)} ${coin}`);
  const lowered = BY_WEIGHT.find(
    (period) => isLess(after[period], before[period]) && words(after[period]) !== words(before[period]),
  );
  if (lowered === undefined) return undefined;
  return `${subject} lowers ${NAMES[lowered]} from ${words(before[lowered])} to ${words(after[lowered])}: ${because}.`;
};

/** Sorts by the first period in which the amounts differ, smaller amounts first. */
const order = ({ amountsWei: one }: Suggestion, { amountsWei: other }: Suggestion): number => {
  const differs = BY_WEIGHT.find((period) => one[period] !== other[period]);
  if (differs === undefined) return 0;
  return isLess(one[differs], other[differs]) ? -1 : 1;
};

/**
 * The changes by which an operator can lower the worst case, largest saving first. Computes the worst case for each
 * change. Omits changes that would deny every operation. Yields after each change.
 */
export function* suggestionsFor(
  policy: Policy,
  situation: Situation,
  bounds: Bounds,
  heldNow: HeldNow,
): Generator<undefined, Suggestion[]> {
  const before = amountsOf(bounds);
  const coin = chainSymbol(policy.dapp.chainId, policy.chain);
  const suggestions: Suggestion[] = [];
  for (const draft of drafts(policy, situation, bounds)) {
    yield;
    const after = boundsOf(draft.policy, draft.situation ?? situation, heldNow);
    if (after.operation === undefined) continue;
    const amountsWei = amountsOf(after);
    const sentence = sentenceOf(draft, before, amountsWei, coin);
    if (sentence !== undefined) suggestions.push({ change: draft.change, sentence, amountsWei });
  }
  return suggestions.sort(order);
}
