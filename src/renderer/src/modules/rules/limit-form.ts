import { type LimitWords, cycleFault } from '../../../../core/rules/spending-limit/index.ts';
import { typedThresholdFault } from './rule-words.ts';

type CycleUnit = NonNullable<LimitWords['cycleDuration']>['unit'];

/** A spending limit while it is typed. */
export interface LimitForm {
  type: LimitWords['type'];
  thresholdType: LimitWords['thresholdType'];
  threshold: string;
  /** Stays where it is not asked for: each operation has no window, and one without an end has no length. */
  cycleDuration: { value: number | null; unit: CycleUnit };
}

/** A form nobody has touched. */
export const emptyLimit = (): LimitForm => ({
  type: 'SMART_ACCOUNT',
  thresholdType: 'COUNT',
  threshold: '',
  cycleDuration: { value: 1, unit: 'day' },
});

/** The form of a limit that is kept. */
export const limitForm = ({ type, thresholdType, threshold, cycleDuration }: LimitWords): LimitForm => ({
  ...{ type, thresholdType, threshold },
  cycleDuration: { ...(cycleDuration ?? emptyLimit().cycleDuration) },
});

/** What may be measured. One operation by itself is not counted. */
export const measuresOf = (type: LimitForm['type']): LimitForm['thresholdType'][] => [
  ...(type === 'OPERATION' ? [] : (['COUNT'] as const)),
  'NATIVE_ASSET',
  'USD',
];

/** What a form says of the window; undefined where it says nothing that can be set. */
const typedCycle = ({ value, unit }: LimitForm['cycleDuration']): LimitWords['cycleDuration'] => {
  if (unit === 'lifetime') return { value: 1, unit };
  return value === null || cycleFault({ value, unit }) !== undefined ? undefined : { value, unit };
};

/** The limit that a form says; undefined while it says none that can be set. */
export const typedLimit = ({ type, thresholdType, threshold, cycleDuration }: LimitForm): LimitWords | undefined => {
  if (typedThresholdFault(threshold, thresholdType) !== undefined) return undefined;
  if (!measuresOf(type).includes(thresholdType)) return undefined;
  const words = { type, thresholdType, threshold: threshold.trim() };
  if (type === 'OPERATION') return words;
  const cycle = typedCycle(cycleDuration);
  return cycle && { ...words, cycleDuration: cycle };
};

/** What saving a limit does to what is used of it, in a sentence; empty where nothing is added up. */
export const restartSentence = ({ type, cycleDuration }: LimitWords): string => {
  if (type === 'OPERATION') return '';
  return cycleDuration?.unit === 'lifetime'
    ? 'What was used so far still counts, unless you change the measure or the window.'
    : 'Saving starts a new window with nothing used.';
};
