import { type Binding, bindingError } from '../../../../core/rules/binding.ts';
import { typedError } from '../conditions/expression-error.ts';

export interface BindingInput {
  enforcement: 'enforce' | 'shadow';
  /** A condition in CEL; empty: the rule applies to every operation. */
  when: string;
  /** Local time in the format of `datetime-local`; empty if not set. */
  from: string;
  until: string;
}

const MINUTE_MS = 60_000;

/** A time in the format of `datetime-local`: local, to the minute. */
export const localText = (at: number | undefined): string => {
  if (at === undefined) return '';
  const local = new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, 16);
};

/** Epoch ms of a time in the format of `datetime-local`; undefined if not set. */
export const timeOf = (text: string): number | undefined => (text === '' ? undefined : Date.parse(text));

/** Field values for a rule; a new rule always applies. */
export const bindingInput = ({
  enforcement = 'enforce',
  when = '',
  activeFrom,
  activeUntil,
}: Binding = {}): BindingInput => ({ enforcement, when, from: localText(activeFrom), until: localText(activeUntil) });

/** The entered values as they are sent. Fields that are not set are absent. */
export const typedBinding = ({ enforcement, when, from, until }: BindingInput) => {
  const [activeFrom, activeUntil] = [timeOf(from), timeOf(until)];
  return {
    ...(enforcement === 'shadow' && { enforcement }),
    ...(when.trim() !== '' && { when: when.trim() }),
    ...(activeFrom !== undefined && { activeFrom }),
    ...(activeUntil !== undefined && { activeUntil }),
  };
};

/** The error of the times as a sentence; empty without an error. */
export const timesError = (input: BindingInput): string =>
  bindingError(typedBinding(input)) === undefined ? '' : 'The end must be after the start.';

export const isBindingReady = (input: BindingInput): boolean =>
  timesError(input) === '' && typedError(input.when) === undefined;
