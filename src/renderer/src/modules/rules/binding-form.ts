import { type Binding, bindingError } from '../../../../core/rules/binding.ts';
import { typedError } from '../conditions/expression-error.ts';

export interface BindingInput {
  enforcement: 'enforce' | 'shadow';
  /** A CEL condition; empty if the rule applies to every operation. */
  when: string;
  /** Local time in the format of `datetime-local`; empty if it is not set. */
  from: string;
  until: string;
}

const MINUTE_MS = 60_000;

/** A time in the format of `datetime-local`, which is local and to the minute. */
export const localText = (at: number | undefined): string => {
  if (at === undefined) return '';
  const local = new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, 16);
};

/** Converts a time in the format of `datetime-local` to epoch ms; undefined if it is not set. */
export const timeOf = (text: string): number | undefined => (text === '' ? undefined : Date.parse(text));

/** The field values for a rule. A new rule always applies. */
export const bindingInput = ({
  enforcement = 'enforce',
  when = '',
  activeFrom,
  activeUntil,
}: Binding = {}): BindingInput => ({ enforcement, when, from: localText(activeFrom), until: localText(activeUntil) });

/** The values to send. Fields that are not set are absent. */
export const typedBinding = ({ enforcement, when, from, until }: BindingInput) => {
  const [activeFrom, activeUntil] = [timeOf(from), timeOf(until)];
  return {
    ...(enforcement === 'shadow' && { enforcement }),
    ...(when.trim() !== '' && { when: when.trim() }),
    ...(activeFrom !== undefined && { activeFrom }),
    ...(activeUntil !== undefined && { activeUntil }),
  };
};

/** The error in the start and end times as a sentence; empty without an error. */
export const timesError = (input: BindingInput): string =>
  bindingError(typedBinding(input)) === undefined ? '' : 'The end must be after the start.';

export const isBindingReady = (input: BindingInput): boolean =>
  timesError(input) === '' && typedError(input.when) === undefined;
