import { z } from 'zod';
import { exactPositiveInput, exactPositiveNumber } from './decimal.ts';
import { httpUrl, name } from './text.ts';

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

/** The forms in which clients send a cycle to the limit update (SPEC 2), read into the one object form. */
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

type Threshold = typeof exactPositiveNumber | typeof exactPositiveInput;

/** A spending limit to be kept, its threshold read by the schema given. */
const spendingLimitData = <T extends Threshold>(threshold: T) =>
  z.strictObject({ type: limitType, cycleDuration, threshold, thresholdType }).superRefine((data, context) => {
    // TypeScript cannot look into what depends on T; every Threshold reads to decimal digits.
    const read = data as unknown as Pick<SpendingLimit, 'threshold' | 'thresholdType'>;
    const fault = thresholdFault(read.thresholdType, read.threshold);
    if (fault !== undefined) context.addIssue({ code: 'custom', path: ['threshold'], message: fault });
  });

const webhookData = z.strictObject({
  url: httpUrl,
  failOpen: z.boolean().optional().describe('True: an outage of the receiver passes; an answer of false never does'),
});

const definitionWith = <T extends Threshold>(threshold: T) =>
  z.discriminatedUnion('policyType', [
    z.strictObject({ name, policyType: z.literal('PAYMASTER_SA_LIMIT'), policyData: spendingLimitData(threshold) }),
    z.strictObject({ name, policyType: z.literal('WEBHOOK'), policyData: webhookData }),
    z.strictObject({ name, policyType: z.literal('WALLET_DEPLOYMENT'), policyData: z.strictObject({}) }),
  ]);

/** Body of the rule creation on the management interface, per `policyType`. */
export const ruleDefinition = definitionWith(exactPositiveNumber);

/** Body of the limit update there: every field optional, the cycle starts anew in any case. */
export const limitUpdate = z.strictObject({
  name: name.optional(),
  cycleDuration: cycleDurationInUpdate.optional(),
  threshold: exactPositiveNumber.optional(),
  thresholdType: thresholdType.optional(),
});

/** The same as operators send them: a threshold may be decimal text. */
export const typedRuleDefinition = definitionWith(exactPositiveInput);

/** The same as operators send it. */
export const typedLimitUpdate = limitUpdate.extend({ threshold: exactPositiveInput.optional() });

/** A limit that is typed and not kept yet. */
export const typedLimit = spendingLimitData(exactPositiveInput);

/** A spending limit as it is kept: `threshold` in exact decimal digits, times in epoch milliseconds. */
export interface SpendingLimit {
  type: z.output<typeof limitType>;
  cycleDuration: CycleDuration;
  threshold: string;
  thresholdType: z.output<typeof thresholdType>;
  startTimeInEpoch: number;
  durationInMs: number;
}
