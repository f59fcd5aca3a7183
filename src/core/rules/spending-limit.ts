import { type DenialRows, type Evidence, areUsed, clockTime, duration, units } from '../../shared/denials.ts';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { decimalToWei } from '../../shared/schema/decimal.ts';
import { exactPositiveInput, exactPositiveNumber } from '../../shared/schema/exact-positive.ts';
import { name } from '../../shared/schema/text.ts';
import { shownAmount } from '../../shared/words/amount.ts';
import { addressKey } from '../../shared/schema/hex.ts';
import type { AccountKey, Reservation } from '../ledger/account.ts';
import { windowAt } from '../ledger/windows.ts';
import type { Policy, PolicyRule } from '../policy.ts';
import { type CheckResult, type RuleInput, type RuleKind, type Setup, deny, pass, rulesOf, saidBy } from './rule.ts';

const HOUR_MS = 3_600_000;
const UNIT_MS = { hour: HOUR_MS, day: 24 * HOUR_MS };
const MAX_CYCLE_MS = 366 * UNIT_MS.day;

/** Length of a spending limit's window as the operator wrote it. */
export interface CycleDuration {
  value: number;
  unit: 'hour' | 'day';
}

/** Milliseconds of a cycle. */
export const cycleMs = (cycle: CycleDuration): number => cycle.value * UNIT_MS[cycle.unit];

const cycleDuration = z
  .strictObject({
    value: z
      .number('must be a positive integer')
      .int('must be a positive integer')
      .positive('must be a positive integer'),
    unit: z.enum(['hour', 'day']),
  })
  .refine((cycle) => cycleMs(cycle) <= MAX_CYCLE_MS, 'must be at most 366 days');

const CYCLE_FORMS = 'must be {value, unit}, a string of that JSON, or a string such as "3 hours" or "2 days"';
const SPELLED_CYCLE = /^\s*(\d{1,6})\s*(hour|day)s?\s*$/;

/** The forms in which clients send a cycle to the limit update (behaviour 8.8), read into the one object form. */
const readCycle = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  const [, count, unit] = SPELLED_CYCLE.exec(value) ?? [];
  if (count !== undefined) return { value: Number.parseInt(count, 10), unit };
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
};

const isCycleShaped = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const { $schema: _draft, ...cycleObject } = z.toJSONSchema(cycleDuration);

const cycleDurationInUpdate = z
  .custom<CycleDuration | string>()
  .meta({
    description: CYCLE_FORMS,
    anyOf: [cycleObject, { type: 'string', examples: ['3 hours', '2 days', '{"value":3,"unit":"hour"}'] }],
  })
  .transform(readCycle)
  .refine(isCycleShaped, { error: CYCLE_FORMS, abort: true })
  .pipe(cycleDuration);

const limitType = z.enum(['PAYMASTER', 'SMART_ACCOUNT']);
const thresholdType = z.enum(['COUNT', 'NATIVE_ASSET']);

/** What is wrong with a threshold of this type, or undefined. COUNT counts operations, NATIVE_ASSET is in the native coin. */
export const thresholdFault = (type: z.output<typeof thresholdType>, threshold: string): string | undefined => {
  const [whole = '', fraction = ''] = threshold.split('.');
  if (type === 'COUNT' && fraction !== '') return 'must be a positive integer';
  if (fraction.length > 18) return 'must be a positive number with at most 18 decimals';
  if (whole.length > 15) return 'must be a positive number below 10^15';
  return undefined;
};

/** What a spending limit says, whether it is typed, sent or kept. */
export interface LimitWords {
  readonly type: z.output<typeof limitType>;
  readonly cycleDuration: CycleDuration;
  /** Decimal digits: operations, or whole coins. */
  readonly threshold: string;
  readonly thresholdType: z.output<typeof thresholdType>;
}

type Threshold = typeof exactPositiveNumber | typeof exactPositiveInput;

/** A spending limit to be kept, its threshold read by the schema given. */
const spendingLimitData = <T extends Threshold>(threshold: T) =>
  z.strictObject({ type: limitType, cycleDuration, threshold, thresholdType }).superRefine((data, context) => {
    // TypeScript cannot look into what depends on T; every Threshold reads to decimal digits.
    const read = data as unknown as Pick<LimitWords, 'threshold' | 'thresholdType'>;
    const fault = thresholdFault(read.thresholdType, read.threshold);
    if (fault !== undefined) context.addIssue({ code: 'custom', path: ['threshold'], message: fault });
  });

const kept = z.strictObject({
  type: limitType,
  cycleDuration: z.strictObject({ value: z.number(), unit: z.enum(['hour', 'day']) }),
  threshold: z.string().describe('Exact decimal digits; a JSON number on the management interface'),
  thresholdType,
  startTimeInEpoch: z.number(),
  durationInMs: z.number(),
});

/** A spending limit as it is kept: `threshold` in exact decimal digits, times in epoch milliseconds. */
export type SpendingLimit = z.output<typeof kept>;

/** A limit that is typed and not kept yet. */
export const typedLimit = spendingLimitData(exactPositiveInput);

/** Body of the limit update on the management interface: every field optional, the cycle starts anew in any case. */
export const limitUpdate = z.strictObject({
  name: name.optional(),
  cycleDuration: cycleDurationInUpdate.optional(),
  threshold: exactPositiveNumber.optional(),
  thresholdType: thresholdType.optional(),
});

/** The same as operators send it. */
export const typedLimitUpdate = limitUpdate.extend({ threshold: exactPositiveInput.optional() });

const everyCycle = ({ value, unit }: CycleDuration): string => (value === 1 ? `per ${unit}` : `per ${value} ${unit}s`);

const howMuch = ({ threshold, thresholdType }: LimitWords, coin: string): string => {
  if (thresholdType === 'COUNT') return `${threshold} ${threshold === '1' ? 'operation' : 'operations'} sponsored`;
  return `gas for ${shownAmount(decimalToWei(threshold))} ${coin} sponsored`;
};

/** A limit's consequence as a sentence made from its values. */
export const limitSentence = (limit: LimitWords, coin: string): string => {
  const who = limit.type === 'SMART_ACCOUNT' ? 'Each user may have' : 'All users together may have';
  return `${who} ${howMuch(limit, coin)} ${everyCycle(limit.cycleDuration)}.`;
};

/** What operators set up of spending limits. */
export const limitSetup: Setup<z.output<typeof typedLimit>, SpendingLimit> = {
  policyType: 'PAYMASTER_SA_LIMIT',
  place: 1,
  sent: typedLimit,
  managed: spendingLimitData(exactPositiveNumber),
  kept,
  // Its first window begins now.
  keep: (sent, { now }) => ({ ...sent, startTimeInEpoch: now, durationInMs: cycleMs(sent.cycleDuration) }),
  sentence: limitSentence,
};

const refused = (message: string): EngineError => new EngineError('VALIDATION', message, { errors: [message] });

/**
 * A limit once it is updated: what is not given stays, and a new cycle begins.
 *
 * @param now epoch ms
 * @throws EngineError `VALIDATION`
 */
export const updatedLimit = (
  limit: SpendingLimit,
  update: Omit<z.output<typeof typedLimitUpdate>, 'name'>,
  now: number,
): SpendingLimit => {
  const cycleDuration = update.cycleDuration ?? limit.cycleDuration;
  const { threshold = limit.threshold, thresholdType = limit.thresholdType } = update;
  const fault = thresholdFault(thresholdType, threshold);
  if (fault !== undefined) throw refused(`threshold ${fault}`);
  if (thresholdType !== limit.thresholdType && update.threshold === undefined) {
    // Five operations would become five of the native coin.
    throw refused('threshold must be given with another thresholdType');
  }
  const { type } = limit;
  return { type, cycleDuration, threshold, thresholdType, startTimeInEpoch: now, durationInMs: cycleMs(cycleDuration) };
};

const scopeOf = ({ scope }: Evidence): string =>
  scope === 'SMART_ACCOUNT' ? 'per user and window' : 'per window, of all users together';

/** The threshold that has room for the operation. */
const sufficient = (evidence: Evidence): string => {
  const threshold = BigInt(String(evidence.used)) + BigInt(String(evidence.amount));
  return units({ ...evidence, threshold: String(threshold) }, 'threshold');
};

const denials = {
  LIMIT_REACHED: (evidence) => ({
    message:
      `The limit "${String(evidence.name)}" allows ${units(evidence, 'threshold')} ${scopeOf(evidence)}; ` +
      `${areUsed(evidence)}, and this operation takes ${units(evidence, 'amount')}.`,
    hint: `Wait until the window resets at ${clockTime(Number(evidence.windowEndsAt))}, in ${duration(Number(evidence.windowEndsAt) - Number(evidence.now))}, or raise the limit's threshold to at least ${sufficient(evidence)}.`,
  }),
  LIMIT_TOO_SMALL: (evidence) => ({
    message:
      `The limit "${String(evidence.name)}" allows ${units(evidence, 'threshold')} ${scopeOf(evidence)}, ` +
      `less than the ${units(evidence, 'amount')} that this operation may take.`,
    hint: `Raise the threshold of the limit to at least ${sufficient({ ...evidence, used: '0' })}, or send the operation with lower gas limits and fees. Waiting does not help.`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

/** A limit and where it stands: amounts are operations for COUNT, wei for NATIVE_ASSET. */
export interface LimitState {
  readonly name: string;
  readonly limit: SpendingLimit;
  /** Reserved and settled in the current window, of this sender for a limit per user. */
  readonly used: bigint;
  /** What the operation would add. */
  readonly amount: bigint;
  /** End of the current window, epoch ms. */
  readonly endsAt: number;
  readonly now: number;
}

/** A threshold in the unit of its type: operations, or wei. */
export const thresholdUnits = ({ thresholdType, threshold }: SpendingLimit): bigint =>
  thresholdType === 'COUNT' ? BigInt(threshold) : decimalToWei(threshold);

/** What an operation adds to a limit: one operation, or the most it can cost. */
export const limitAmount = ({ thresholdType }: SpendingLimit, maxCostWei: bigint): bigint =>
  thresholdType === 'COUNT' ? 1n : maxCostWei;

/** Reserved + settled + this operation must stay within the threshold (behaviour 5.7). */
export const checkSpendingLimit = ({ name, limit, used, amount, endsAt, now }: LimitState): Result => {
  const threshold = thresholdUnits(limit);
  const evidence = {
    name,
    scope: limit.type,
    unit: limit.thresholdType === 'COUNT' ? 'operations' : 'wei',
    threshold: String(threshold),
    used: String(used),
    amount: String(amount),
    windowEndsAt: endsAt,
    now,
  };
  if (used + amount <= threshold) return pass('LIMIT_HAS_ROOM', evidence);
  return deny(amount > threshold ? 'LIMIT_TOO_SMALL' : 'LIMIT_REACHED', evidence);
};

/** A rule that is a spending limit. */
export type LimitRule = PolicyRule & { readonly policyData: SpendingLimit };

/** The ledger's account of one window of a limit, or of one of its users. */
export const limitAccount = (
  { ruleId, cycle }: Pick<PolicyRule, 'ruleId' | 'cycle'>,
  window: number,
  user?: string,
): AccountKey => ({ kind: 'limit', id: `${ruleId}:${cycle}`, window, ...(user !== undefined && { user }) });

const activeLimits = ({ rules }: Policy): LimitRule[] => rulesOf(limitSetup, rules).filter(({ active }) => active);

const reservationOf = (rule: LimitRule, { facts, op, requiredWei }: RuleInput): Reservation => {
  const { policyData: limit } = rule;
  const user = limit.type === 'SMART_ACCOUNT' ? addressKey(op.sender) : undefined;
  return {
    account: limitAccount(rule, windowAt(limit, facts.at).index, user),
    kind: limit.thresholdType === 'COUNT' ? 'count' : 'spend',
    amount: limitAmount(limit, requiredWei),
    ...(rule.enforcement === 'shadow' && { shadow: rule.ruleId }),
  };
};

/** What users, or all of them together, may have sponsored per window. */
export const spendingLimit: RuleKind<keyof typeof denials> = {
  type: 'spendingLimit',
  title: 'Spending limit',
  denials,
  setup: limitSetup,
  reserve: (input) => activeLimits(input.policy).map((rule) => reservationOf(rule, input)),
  check: ({ policy, facts: { at: now }, requiredWei }, held) =>
    activeLimits(policy).map((rule, index) => {
      const { name, policyData: limit } = rule;
      const state = { name, limit, now, used: held[index] ?? 0n, endsAt: windowAt(limit, now).endsAt };
      return saidBy(rule, checkSpendingLimit({ ...state, amount: limitAmount(limit, requiredWei) }));
    }),
};
