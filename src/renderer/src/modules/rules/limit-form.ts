import type { LimitWords } from './rule-words.ts';

/** A spending limit while it is typed. */
export type LimitForm = { -readonly [Key in keyof LimitWords]: LimitWords[Key] };

/** A form nobody has touched. */
export const emptyLimit = (): LimitForm => ({
  type: 'SMART_ACCOUNT',
  thresholdType: 'COUNT',
  threshold: '',
  cycleDuration: { value: 1, unit: 'day' },
});
