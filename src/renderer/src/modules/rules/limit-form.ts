import { type LimitWords, cycleError } from '../../../../core/rules/spending-limit/index.ts';
import { decimalToWei } from '../../../../shared/schema/decimal.ts';
import { typedThresholdError } from './rule-words.ts';

type CycleUnit = NonNullable<LimitWords['cycleDuration']>['unit'];

export interface LimitForm {
  type: LimitWords['type'];
  thresholdType: LimitWords['thresholdType'];
  threshold: string;
  /** Ignored if it does not apply: a limit on single operations has no window, and a lifetime has no length. */
  cycleDuration: { value: number | null; unit: CycleUnit };
}

export const emptyLimit = (): LimitForm => ({
  type: 'SMART_ACCOUNT',
  thresholdType: 'COUNT',
  threshold: '',
  cycleDuration: { value: 1, unit: 'day' },
});

export const limitForm = ({ type, thresholdType, threshold, cycleDuration }: LimitWords): LimitForm => ({
  type,
  thresholdType,
  threshold,
  cycleDuration: { ...(cycleDuration ?? emptyLimit().cycleDuration) },
});

/** The measures that a limit of this type can have. A limit on single operations cannot count them. */
export const measuresOf = (type: LimitForm['type']): LimitForm['thresholdType'][] => [
  ...(type === 'OPERATION' ? [] : (['COUNT'] as const)),
  'NATIVE_ASSET',
  'USD',
];

/** The window that was entered; undefined if it is invalid. */
const typedCycle = ({ value, unit }: LimitForm['cycleDuration']): LimitWords['cycleDuration'] => {
  if (unit === 'lifetime') return { value: 1, unit };
  return value === null || cycleError({ value, unit }) !== undefined ? undefined : { value, unit };
};

/** The limit that was entered; undefined if it is invalid. */
export const typedLimit = ({ type, thresholdType, threshold, cycleDuration }: LimitForm): LimitWords | undefined => {
  if (typedThresholdError(threshold, thresholdType) !== undefined) return undefined;
  if (!measuresOf(type).includes(thresholdType)) return undefined;
  const words = { type, thresholdType, threshold: threshold.trim() };
  if (type === 'OPERATION') return words;
  const cycle = typedCycle(cycleDuration);
  return cycle && { ...words, cycleDuration: cycle };
};

/** A sentence on what happens to a limit's usage when the limit is changed; empty if it has no usage. */
export const restartSentence = ({ type, cycleDuration }: LimitWords): string => {
  if (type === 'OPERATION') return '';
  return cycleDuration?.unit === 'lifetime'
    ? 'Past usage still counts, unless you change the measure or the window.'
    : 'A change of anything but the name starts a new window without usage.';
};

/**
 * Whether a limit allows less than an operation with this maximum cost reserves. Counts never do.
 *
 * @param usd US dollars per coin, decimal; empty if unknown
 */
export const isBelow = (limit: LimitWords, mostWei: bigint, usd: string): boolean => {
  const { threshold, thresholdType } = limit;
  if (thresholdType === 'NATIVE_ASSET') return decimalToWei(threshold) < mostWei;
  if (thresholdType === 'COUNT' || usd === '') return false;
  return decimalToWei(threshold) * decimalToWei('1') < mostWei * decimalToWei(usd);
};
