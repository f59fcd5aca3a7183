import type { LimitWords } from '../../../../core/limit-data.ts';
import { typedThresholdFault } from './rule-words.ts';

/** A spending limit while it is typed. */
export type LimitForm = { -readonly [Key in keyof LimitWords]: LimitWords[Key] };

/** A form nobody has touched. */
export const emptyLimit = (): LimitForm => ({
  type: 'SMART_ACCOUNT',
  thresholdType: 'COUNT',
  threshold: '',
  cycleDuration: { value: 1, unit: 'day' },
});

/** The limit that a form says; undefined while its threshold is none. */
export const typedLimit = ({ type, thresholdType, threshold, cycleDuration }: LimitForm): LimitForm | undefined =>
  typedThresholdFault(threshold, thresholdType) === undefined
    ? {
        type,
        thresholdType,
        threshold: threshold.trim(),
        ...(cycleDuration && { cycleDuration: { ...cycleDuration } }),
      }
    : undefined;
