import { type Binding, bindingFault } from '../../../../core/binding.ts';
import { typedFault } from '../conditions/expression-fault.ts';

/** When a rule binds, as it is typed. */
export interface BindingInput {
  enforcement: 'enforce' | 'shadow';
  /** A condition in CEL; empty: it binds every operation. */
  when: string;
  /** Local time as `datetime-local` has it; empty: not set. */
  from: string;
  until: string;
}

const MINUTE_MS = 60_000;

/** A time as `datetime-local` has it: local, to the minute. */
export const localText = (at: number | undefined): string => {
  if (at === undefined) return '';
  const local = new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, 16);
};

/** A time as `datetime-local` has it, epoch ms; undefined where none is set. */
export const timeOf = (text: string): number | undefined => (text === '' ? undefined : Date.parse(text));

/** What the fields show of a rule; of a new one it binds always. */
export const bindingInput = ({
  enforcement = 'enforce',
  when = '',
  activeFrom,
  activeUntil,
}: Binding = {}): BindingInput => ({
  ...{ enforcement, when, from: localText(activeFrom), until: localText(activeUntil) },
});

/** What was typed, as it is sent. A field that was not set is not there. */
export const typedBinding = ({ enforcement, when, from, until }: BindingInput) => {
  const [activeFrom, activeUntil] = [timeOf(from), timeOf(until)];
  return {
    ...(enforcement === 'shadow' && { enforcement }),
    ...(when.trim() !== '' && { when: when.trim() }),
    ...(activeFrom !== undefined && { activeFrom }),
    ...(activeUntil !== undefined && { activeUntil }),
  };
};

/** What is wrong with the times, in a sentence; empty: nothing. */
export const timesFault = (input: BindingInput): string =>
  bindingFault(typedBinding(input)) === undefined ? '' : 'The end must be after the start.';

/** True if all of it can be sent. */
export const isBindingReady = (input: BindingInput): boolean =>
  timesFault(input) === '' && typedFault(input.when) === undefined;
