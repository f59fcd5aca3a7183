import { z } from 'zod';
import { EngineError } from '../../../shared/errors.ts';
import { decimalToWei } from '../../../shared/schema/decimal.ts';
import { exactPositiveInput, exactPositiveNumber } from '../../../shared/schema/exact-positive.ts';
import { name } from '../../../shared/schema/text.ts';
import { exactDollars, shownAmount } from '../../../shared/words/amount.ts';
import type { PolicyRule } from '../../policy/policy.ts';
import { type Setup, rulesOf } from '../rule.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNIT_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };
const MAX_CYCLE_MS = 366 * DAY_MS;

const cycleUnit = z.enum(['hour', 'day', 'week', 'lifetime']);

/** Length of a spending limit's window, as written by the operator. A `lifetime` never ends. */
export interface CycleDuration {
  value: number;
  unit: z.output<typeof cycleUnit>;
}

/** Length of a cycle in milliseconds; undefined for a lifetime. */
export const cycleMs = ({ value, unit }: CycleDuration): number | undefined =>
  unit === 'lifetime' ? undefined : value * UNIT_MS[unit];

const TOO_LONG = 'must be at most 366 days';

/** The error in the length of a window; undefined if none exists. */
export const cycleError = (cycle: CycleDuration): string | undefined =>
  (cycleMs(cycle) ?? 0) > MAX_CYCLE_MS ? TOO_LONG : undefined;

const WHOLE = 'must be a positive integer';
const cycleValue = z.number(WHOLE).int(WHOLE).positive(WHOLE);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Completes `{"unit": "lifetime"}`, which needs no value. */
const withLength = (value: unknown): unknown =>
  isRecord(value) && value['unit'] === 'lifetime' && value['value'] === undefined ? { ...value, value: 1 } : value;

const cycleDuration = z.preprocess(
  withLength,
  z
    .strictObject({ value: cycleValue.describe('Required, unless the unit is lifetime'), unit: cycleUnit })
    .refine((cycle) => cycleError(cycle) === undefined, TOO_LONG)
    .refine(({ value, unit }) => unit !== 'lifetime' || value === 1, {
      path: ['value'],
      error: 'must be 1 or left out: a lifetime has no length',
    }),
);

const CYCLE_FORMS =
  'must be {value, unit}, a string of that JSON, or a string such as "3 hours", "2 days", "1 week" or "lifetime"';
const SPELLED_CYCLE = /^\s*(\d{1,6})\s*(hour|day|week)s?\s*$/;
const SPELLED_LIFETIME = /^\s*lifetime\s*$/;

/** Converts the formats in which clients may send a cycle when they update a limit (behaviour 8.8) to an object. */
const readCycle = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (SPELLED_LIFETIME.test(value)) return { unit: 'lifetime' };
  const [, count, unit] = SPELLED_CYCLE.exec(value) ?? [];
  if (count !== undefined) return { value: Number.parseInt(count, 10), unit };
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
};

const { $schema: _draft, ...cycleObject } = z.toJSONSchema(cycleDuration, { io: 'input' });

const cycleDurationInUpdate = z
  .custom<CycleDuration | string>()
  .meta({
    description: CYCLE_FORMS,
    anyOf: [cycleObject, { type: 'string', examples: ['3 hours', '2 days', 'lifetime', '{"value":3,"unit":"hour"}'] }],
  })
  .transform(readCycle)
  .refine((value): boolean => isRecord(value), { error: CYCLE_FORMS, abort: true })
  .pipe(cycleDuration);

const limitType = z
  .enum(['PAYMASTER', 'SMART_ACCOUNT', 'SUBJECT', 'OPERATION'])
  .describe(
    'PAYMASTER: one total for all users; SMART_ACCOUNT: one total per user; SUBJECT: one total per person, whom an IDENTITY rule has verified; OPERATION: each operation by itself',
  );
const thresholdType = z.enum(['COUNT', 'NATIVE_ASSET', 'USD']);

/**
 * The error in a threshold of this type; undefined if none exists. COUNT counts operations, NATIVE_ASSET is in the
 * native coin.
 */
export const thresholdError = (type: z.output<typeof thresholdType>, threshold: string): string | undefined => {
  const [whole = '', fraction = ''] = threshold.split('.');
  if (type === 'COUNT' && fraction !== '') return 'must be a positive integer';
  if (fraction.length > 18) return 'must be a positive number with at most 18 decimals';
  if (whole.length > 15) return 'must be a positive number below 10^15';
  return undefined;
};

/** The fields of a spending limit, whether typed, sent or stored. */
export interface LimitWords {
  readonly type: z.output<typeof limitType>;
  /** Absent if the limit checks each operation on its own. */
  readonly cycleDuration?: CycleDuration | undefined;
  /** A decimal number: of operations, whole coins, or US dollars. */
  readonly threshold: string;
  readonly thresholdType: z.output<typeof thresholdType>;
}

interface LimitError {
  readonly field: keyof LimitWords;
  readonly error: string;
}

/** The contradiction between a limit's fields; undefined if none exists. */
const limitError = ({
  type,
  cycleDuration: cycle,
  thresholdType: measure,
  threshold,
}: LimitWords): LimitError | undefined => {
  const error = thresholdError(measure, threshold);
  if (error !== undefined) return { field: 'threshold', error };
  if (type !== 'OPERATION') return cycle === undefined ? { field: 'cycleDuration', error: 'must be given' } : undefined;
  if (cycle !== undefined)
    return { field: 'cycleDuration', error: 'must be left out: a limit of each operation has no cycle' };
  return measure === 'COUNT'
    ? { field: 'thresholdType', error: 'must be NATIVE_ASSET or USD: a limit of each operation counts none' }
    : undefined;
};

type Threshold = typeof exactPositiveNumber | typeof exactPositiveInput;

/** The schema of a spending limit, given the schema of its threshold. */
const spendingLimitData = <T extends Threshold>(threshold: T) =>
  z
    .strictObject({ type: limitType, cycleDuration: cycleDuration.optional(), threshold, thresholdType })
    .superRefine((data, context) => {
      // TypeScript cannot resolve types that depend on T. The output of every Threshold is a string of decimal digits.
      const found = limitError(data as unknown as LimitWords);
      if (found !== undefined) context.addIssue({ code: 'custom', path: [found.field], message: found.error });
    });

const stored = z.strictObject({
  type: limitType,
  cycleDuration: z
    .strictObject({ value: z.number(), unit: cycleUnit })
    .optional()
    .describe('Absent where each operation is looked at by itself'),
  threshold: z.string().describe('Exact decimal digits; a JSON number on the management interface'),
  thresholdType,
  startTimeInEpoch: z.number(),
  durationInMs: z.number().optional().describe('Absent without a cycle, and for a lifetime'),
});

/** A spending limit as it is stored: `threshold` is an exact decimal number, times are epoch milliseconds. */
export type SpendingLimit = z.output<typeof stored>;

/** Schema of a limit that the operator has typed and that is not stored yet. */
export const typedLimit = spendingLimitData(exactPositiveInput);

/**
 * Body of the limit update on the management interface. Every field is optional. Every update restarts the limit, except
 * as `continues` below says.
 */
export const limitUpdate = z.strictObject({
  name: name.optional(),
  cycleDuration: cycleDurationInUpdate.optional(),
  threshold: exactPositiveNumber.optional(),
  thresholdType: thresholdType.optional(),
});

export const typedLimitUpdate = limitUpdate.extend({ threshold: exactPositiveInput.optional() });

const everyCycle = ({ value, unit }: CycleDuration): string => {
  if (unit === 'lifetime') return 'in total';
  return value === 1 ? `per ${unit}` : `per ${value} ${unit}s`;
};

const amountOf = ({ threshold, thresholdType: measure }: LimitWords, coin: string): string => {
  if (measure === 'COUNT') return `${threshold} ${threshold === '1' ? 'operation' : 'operations'}`;
  return measure === 'USD' ? exactDollars(decimalToWei(threshold)) : `${shownAmount(decimalToWei(threshold))} ${coin}`;
};

const WHO = {
  PAYMASTER: 'All users together',
  SMART_ACCOUNT: 'Each user',
  SUBJECT: 'Each person, with however many accounts,',
  OPERATION: 'Each operation',
};

/** What a limit allows whom it counts, such as `3 operations per day`. */
export const limitAllowance = (limit: LimitWords, coin: string): string =>
  `${limit.thresholdType === 'COUNT' ? '' : 'gas for '}${amountOf(limit, coin)} ${limit.cycleDuration === undefined ? 'each' : everyCycle(limit.cycleDuration)}`;

/** The effect of a limit as a sentence that contains its values. */
export const limitSentence = (limit: LimitWords, coin: string): string => {
  const { type, thresholdType: measure, cycleDuration: cycle } = limit;
  const amount = amountOf(limit, coin);
  if (cycle === undefined) return `Each operation may cost at most ${amount}.`;
  return `${WHO[type]} may have ${measure === 'COUNT' ? '' : 'gas for '}${amount} sponsored ${everyCycle(cycle)}.`;
};

/** The stored form of a limit whose first window starts now. */
const begun = (
  { type, threshold, thresholdType: measure, cycleDuration: cycle }: LimitWords,
  startTimeInEpoch: number,
): SpendingLimit => {
  const durationInMs = cycle && cycleMs(cycle);
  return {
    type,
    ...(cycle && { cycleDuration: cycle }),
    threshold,
    thresholdType: measure,
    startTimeInEpoch,
    ...(durationInMs !== undefined && { durationInMs }),
  };
};

export const limitSetup: Setup<z.output<typeof typedLimit>, SpendingLimit> = {
  policyType: 'PAYMASTER_SA_LIMIT',
  place: 1,
  sent: typedLimit,
  managed: spendingLimitData(exactPositiveNumber),
  stored,
  keep: (sent, { now }) => begun(sent, now),
  // Raising a lifetime budget does not restart it. Otherwise the first budget could be spent twice.
  continues: (before, after) =>
    [before, after].every(({ cycleDuration: cycle }) => cycle?.unit === 'lifetime') &&
    before.type === after.type &&
    before.thresholdType === after.thresholdType,
  needsPrice: ({ thresholdType: measure }) => measure === 'USD',
  sentence: limitSentence,
  withoutRules: () => 'No limit: one user may have any number of operations sponsored.',
  form: 'spendingLimit',
};

const refused = (message: string): EngineError => new EngineError('VALIDATION', message, { errors: [message] });

/**
 * A limit after an update. Omitted fields keep their values, and the first window starts now.
 * @param now epoch ms
 * @throws EngineError `VALIDATION`
 */
export const updatedLimit = (
  limit: SpendingLimit,
  update: Omit<z.output<typeof typedLimitUpdate>, 'name'>,
  now: number,
): SpendingLimit => {
  const updated: LimitWords = {
    type: limit.type,
    cycleDuration: update.cycleDuration ?? limit.cycleDuration,
    threshold: update.threshold ?? limit.threshold,
    thresholdType: update.thresholdType ?? limit.thresholdType,
  };
  const found = limitError(updated);
  if (found !== undefined) throw refused(`${found.field} ${found.error}`);
  if (updated.thresholdType !== limit.thresholdType && update.threshold === undefined) {
    // Otherwise a threshold of five operations would become five coins.
    throw refused('threshold must be given with another thresholdType');
  }
  return begun(updated, now);
};

export const isInDollars = (rule: PolicyRule): boolean =>
  rulesOf(limitSetup, [rule]).some(({ policyData }) => policyData.thresholdType === 'USD');
