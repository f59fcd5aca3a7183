import { decimalToWei } from '../../../shared/schema/decimal.ts';
import { addressKey } from '../../../shared/schema/hex.ts';
import { dollarsOf } from '../../policy/dollars.ts';
import type { Facts } from '../../facts/facts.ts';
import type { AccountKey, LimitPlace, PlacedKey, Reservation } from '../../ledger/account.ts';
import { type LimitWindow, windowAt } from '../../ledger/windows.ts';
import type { Policy, PolicyRule } from '../../policy/policy.ts';
import { type SpendingLimit, limitSetup } from './data.ts';
import { denials } from './denials.ts';
import {
  type AllowanceQuery,
  type CheckResult,
  type RuleInput,
  type RuleType,
  activeRulesOf,
  deny,
  pass,
  saidBy,
  skip,
} from '../rule.ts';

type Result = CheckResult<keyof typeof denials>;

/**
 * A limit and its current state. Amounts are operations for COUNT, wei for NATIVE_ASSET, and 10^-18 US dollars for USD.
 */
export interface LimitState {
  readonly name: string;
  readonly limit: SpendingLimit;
  /** Reserved and settled in the current window; by this sender or person if the limit counts each separately. */
  readonly used: bigint;
  /** The amount that the operation would add. */
  readonly amount: bigint;
  /** End of the current window, epoch ms; null for a lifetime. */
  readonly endsAt: number | null;
  readonly now: number;
}

/** Thresholds of limits, as numbers and as text. Every decision compares with the same ones. */
const thresholds = new WeakMap<SpendingLimit, readonly [units: bigint, text: string]>();

const thresholdOf = (limit: SpendingLimit): readonly [units: bigint, text: string] => {
  const known = thresholds.get(limit);
  if (known !== undefined) return known;
  const { thresholdType, threshold } = limit;
  const units = thresholdType === 'COUNT' ? BigInt(threshold) : decimalToWei(threshold);
  const read = [units, String(units)] as const;
  thresholds.set(limit, read);
  return read;
};

/** A threshold in the unit of its type: operations, wei, or 10^-18 US dollars. */
export const thresholdUnits = (limit: SpendingLimit): bigint => thresholdOf(limit)[0];

/** The unit of amounts, by the type of the threshold. */
export const limitUnits = { COUNT: 'operations', NATIVE_ASSET: 'wei', USD: 'usd' } as const;

export const limitAmount = (
  { thresholdType }: Pick<SpendingLimit, 'thresholdType'>,
  maxCostWei: bigint,
  price: Facts['price'],
): bigint | undefined => {
  if (thresholdType === 'COUNT') return 1n;
  if (thresholdType === 'NATIVE_ASSET') return maxCostWei;
  return price === undefined || price.usd === null ? undefined : dollarsOf(maxCostWei, price.usd);
};

/** Reserved + settled + this operation must not exceed the threshold (behaviour 5.7). */
export const checkSpendingLimit = ({ name, limit, used, amount, endsAt, now }: LimitState): Result => {
  const [threshold, thresholdText] = thresholdOf(limit);
  const evidence = {
    name,
    scope: limit.type,
    unit: limitUnits[limit.thresholdType],
    threshold: thresholdText,
    used: String(used),
    amount: String(amount),
    windowEndsAt: endsAt,
    now,
  };
  if (used + amount <= threshold) return pass('LIMIT_HAS_ROOM', evidence);
  return deny(amount > threshold ? 'LIMIT_TOO_SMALL' : 'LIMIT_REACHED', evidence);
};

export type LimitRule = PolicyRule & { readonly policyData: SpendingLimit };

type CountedRule = Pick<LimitRule, 'ruleId' | 'cycle' | 'policyData'>;

/**
 * Limits with windows of the same length share a group as long as their windows begin in the same period of that length.
 * So each of them has one window in the group.
 */
const placeOf = (name: string, dapp: string, { policyData: limit }: CountedRule, window: number): LimitPlace => {
  const { startTimeInEpoch, durationInMs } = limit;
  if (durationInMs === undefined) return { group: `${dapp} lifetime`, name };
  return { group: `${dapp} ${durationInMs} ${window + Math.floor(startTimeInEpoch / durationInMs)}`, name };
};

/** The ledger account for one window of a limit, or for one user or person in that window. @param dapp id of the DApp */
export const limitAccount = (rule: CountedRule, dapp: string, window: number, user?: string): PlacedKey => {
  const id = `${rule.ruleId}:${rule.cycle}`;
  const place = placeOf(`${id}:${window}`, dapp, rule, window);
  return { kind: 'limit', id, window, ...(user !== undefined && { user }), place };
};

/** The current window of a limit, and its account without a user. Most decisions fall into the same window. */
interface CurrentWindow extends LimitWindow {
  readonly startsAt: number;
  readonly dapp: string;
  readonly account: PlacedKey;
}

const currentWindows = new WeakMap<CountedRule, CurrentWindow>();

const isIn = ({ startsAt, endsAt }: CurrentWindow, at: number): boolean =>
  at >= startsAt && (endsAt === null || at < endsAt);

const currentWindow = (rule: LimitRule, dapp: string, at: number): CurrentWindow => {
  const known = currentWindows.get(rule);
  if (known?.dapp === dapp && isIn(known, at)) return known;
  const { startTimeInEpoch, durationInMs = 0 } = rule.policyData;
  const { index, endsAt } = windowAt(rule.policyData, at);
  const startsAt = startTimeInEpoch + index * durationInMs;
  const made = { index, startsAt, endsAt, dapp, account: limitAccount(rule, dapp, index) };
  currentWindows.set(rule, made);
  return made;
};

const activeLimits = ({ rules }: Pick<Policy, 'rules'>): readonly LimitRule[] => activeRulesOf(limitSetup, rules);

/** Whether the limit adds up operations. A limit per operation checks each operation on its own. */
export const addsUp = ({ policyData }: LimitRule): boolean => policyData.type !== 'OPERATION';

/** All users together. */
const ALL = {};

/**
 * Who is counted: all together, the sender, or the person. Undefined for a limit per person if no rule has
 * verified the person.
 */
export const countedBy = (
  { policyData: { type } }: LimitRule,
  { sender, subject }: Pick<AllowanceQuery, 'sender' | 'subject'>,
): { user?: string } | undefined => {
  if (type === 'SMART_ACCOUNT') return { user: addressKey(sender) };
  if (type !== 'SUBJECT') return ALL;
  return subject && { user: subject.id };
};

/** The ledger account in which operations add up; undefined if the limit adds up none of this user. */
const accountAt = (rule: LimitRule, dapp: string, query: AllowanceQuery): AccountKey | undefined => {
  const counted = addsUp(rule) ? countedBy(rule, query) : undefined;
  if (counted === undefined) return undefined;
  const { account } = currentWindow(rule, dapp, query.at);
  const { user } = counted;
  if (user === undefined) return account;
  const { kind, id, window = 0, place } = account;
  return { kind, id, window, user, place };
};

/** How the settlement of an operation changes what it reserved, by the type of the threshold. */
export const limitReservations = { COUNT: 'count', NATIVE_ASSET: 'spend', USD: 'share' } as const;

const reservationOf = (rule: LimitRule, input: RuleInput, query: AllowanceQuery): Reservation | undefined => {
  const { policyData: limit } = rule;
  const { facts, policy, requiredWei } = input;
  const account = accountAt(rule, policy.dapp.paymasterId, query);
  if (account === undefined) return undefined;
  const kind = limitReservations[limit.thresholdType];
  // If the amount is unknown, the check denies the operation.
  const amount = limitAmount(limit, requiredWei, facts.price) ?? 0n;
  const reservation: Reservation =
    kind === 'share' ? { account, kind, amount, ofWei: requiredWei } : { account, kind, amount };
  return rule.enforcement === 'shadow' ? { ...reservation, shadow: rule.ruleId } : reservation;
};

const queryOf = ({ facts, op, subject }: RuleInput): AllowanceQuery => ({ at: facts.at, sender: op.sender, subject });

const reserve = (input: RuleInput): Reservation[] => {
  const query = queryOf(input);
  const reservations: Reservation[] = [];
  for (const rule of activeLimits(input.policy)) {
    const reservation = reservationOf(rule, input, query);
    if (reservation !== undefined) reservations.push(reservation);
  }
  return reservations;
};

const mostHeld = (input: RuleInput): (bigint | undefined)[] => {
  const query = queryOf(input);
  return activeLimits(input.policy).flatMap((rule) => {
    if (reservationOf(rule, input, query) === undefined) return [];
    const amount = limitAmount(rule.policyData, input.requiredWei, input.facts.price);
    return [amount === undefined ? undefined : thresholdUnits(rule.policyData) - amount];
  });
};

const withoutPrice = (name: string, { facts: { price }, policy }: RuleInput): Result =>
  price === undefined
    ? deny('PRICE_NOT_READ', { name })
    : deny('PRICE_UNKNOWN', {
        name,
        chainId: policy.dapp.chainId,
        error: price.error ?? '',
        hasFeed: policy.chain?.price !== undefined,
      });

const withoutSubject = (name: string, { facts, isSubjectUnread }: RuleInput): Result => {
  if (isSubjectUnread) return deny('LIMIT_SUBJECT_NOT_READ', { name });
  return facts.stage === 'draft' ? skip('SUBJECT_NOT_SENT_YET', { name }) : deny('LIMIT_WITHOUT_SUBJECT', { name });
};

const checkLimit = (rule: LimitRule, input: RuleInput, used: bigint): Result => {
  const { name, policyData: limit } = rule;
  const { facts, policy, requiredWei } = input;
  const amount = limitAmount(limit, requiredWei, facts.price);
  if (amount === undefined) return withoutPrice(name, input);
  const { endsAt } = currentWindow(rule, policy.dapp.paymasterId, facts.at);
  return checkSpendingLimit({ name, limit, now: facts.at, used, amount, endsAt });
};

/**
 * The maximum amount that may be sponsored per window, for each user, for each person or for all users together, and the maximum cost of
 * one operation.
 */
export const spendingLimit: RuleType<keyof typeof denials> = {
  type: 'spendingLimit',
  title: 'Spending limit',
  denials,
  setup: limitSetup,
  reserve,
  mostHeld,
  allowances: (policy, query) =>
    activeLimits(policy).flatMap((rule) => {
      const account = accountAt(rule, policy.dapp.paymasterId, query);
      if (account === undefined) return [];
      const { policyData: limit } = rule;
      const unit = limitUnits[limit.thresholdType];
      return [{ rule, account, unit, limit: thresholdUnits(limit), resetsAt: windowAt(limit, query.at).endsAt }];
    }),
  check: (input, held) => {
    let next = 0;
    return activeLimits(input.policy).map((rule) => {
      if (!addsUp(rule)) return saidBy(rule, checkLimit(rule, input, 0n));
      if (rule.policyData.type === 'SUBJECT' && input.subject === undefined)
        return saidBy(rule, withoutSubject(rule.name, input));
      const used = held[next] ?? 0n;
      next += 1;
      return saidBy(rule, checkLimit(rule, input, used));
    });
  },
};
