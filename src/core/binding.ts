import { z } from 'zod';
import type { PolicyRule } from './policy.ts';
import { expression } from './conditions/expression.ts';

/** The last moment that a JavaScript `Date` can be. */
const LAST_MS = 8_640_000_000_000_000;

const moment = z.int('must be epoch milliseconds').nonnegative('must be epoch milliseconds').max(LAST_MS);
const enforcement = z.enum(['enforce', 'shadow']);

/** What may be set of every rule, whatever its type: when it binds, and whether it does. */
export interface Binding {
  /** A condition in CEL: it binds only operations that meet it. Absent: all of them. */
  readonly when?: string | undefined;
  /** Epoch ms; absent: from the start. */
  readonly activeFrom?: number | undefined;
  /** Epoch ms, from which on it no longer binds; absent: without end. */
  readonly activeUntil?: number | undefined;
  /** A rule in `shadow` is evaluated, traced and counted as if it bound, and denies nothing. Absent: `enforce`. */
  readonly enforcement?: 'enforce' | 'shadow' | undefined;
}

/** The same of a rule as it is sent. */
export const bindingFields = {
  when: expression.optional(),
  activeFrom: moment.optional().describe('epoch ms'),
  activeUntil: moment.optional().describe('epoch ms'),
  enforcement: enforcement.optional().describe('shadow: evaluated, traced and counted as if it bound; denies nothing'),
};

/** The same in an update: null takes away what was set. */
export const bindingUpdate = {
  when: expression.nullable().optional().describe('A condition in CEL; null: it binds every operation'),
  activeFrom: moment.nullable().optional().describe('epoch ms; null: from the start'),
  activeUntil: moment.nullable().optional().describe('epoch ms; null: without end'),
  enforcement: enforcement.optional(),
};

/** What is wrong with when a rule binds, or undefined. */
export const bindingFault = ({ activeFrom, activeUntil }: Binding): string | undefined =>
  activeFrom !== undefined && activeUntil !== undefined && activeUntil <= activeFrom
    ? 'activeUntil must be after activeFrom'
    : undefined;

/** What is kept of a {@link Binding}. */
export type KeptBinding = Pick<PolicyRule, keyof Binding>;

/** What is kept of it: `enforce` is what a rule does that says nothing. */
export const keptBinding = ({ when, activeFrom, activeUntil, enforcement }: Binding): KeptBinding => ({
  ...(when !== undefined && { when }),
  ...(activeFrom !== undefined && { activeFrom }),
  ...(activeUntil !== undefined && { activeUntil }),
  ...(enforcement === 'shadow' && { enforcement }),
});

/** A {@link Binding} as it is sent in an update: null takes away what was set. */
type BindingUpdate = { readonly [Field in keyof Binding]?: Binding[Field] | null };

/** What is kept once a rule is updated; what is left out stays as it is. */
export const updatedBinding = (rule: Binding, update: BindingUpdate): KeptBinding => {
  const { when = rule.when, activeFrom = rule.activeFrom, activeUntil = rule.activeUntil } = update;
  const { enforcement = rule.enforcement } = update;
  const times = { activeFrom: activeFrom ?? undefined, activeUntil: activeUntil ?? undefined };
  return keptBinding({ when: when ?? undefined, ...times, enforcement: enforcement ?? undefined });
};

/** A time to the minute. @param at epoch ms */
export const utc = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** When a rule binds, and whether it does, in sentences; none where it always binds. */
export const bindingSentences = ({ when, activeFrom, activeUntil, enforcement }: Binding): string[] => [
  ...(when === undefined ? [] : [`Only where ${when}.`]),
  ...(activeFrom === undefined ? [] : [`Binds from ${utc(activeFrom)}.`]),
  ...(activeUntil === undefined ? [] : [`Binds until ${utc(activeUntil)}.`]),
  ...(enforcement === 'shadow' ? ['In shadow: it denies nothing.'] : []),
];
