import { z } from 'zod';
import type { PolicyRule } from '../policy/policy.ts';
import { expression } from '../conditions/expression.ts';

/** The latest time that a JavaScript `Date` can hold. */
const LAST_MS = 8_640_000_000_000_000;

const MOMENT_ERROR = 'must be epoch milliseconds';
const moment = z.int({ error: MOMENT_ERROR, abort: true }).nonnegative(MOMENT_ERROR).max(LAST_MS);
const enforcement = z.enum(['enforce', 'shadow']);

/** Settings that rules of every type have: when the rule applies, and whether it is enforced. */
export interface Binding {
  /** A CEL condition: the rule applies only to operations that meet it. Absent: to all operations. */
  readonly when?: string | undefined;
  /** Epoch ms. Absent: active from its creation. */
  readonly activeFrom?: number | undefined;
  /** Epoch ms at which the rule stops applying. Absent: never. */
  readonly activeUntil?: number | undefined;
  /** A `shadow` rule is evaluated, traced and counted like an enforced one, but denies nothing. Absent: `enforce`. */
  readonly enforcement?: 'enforce' | 'shadow' | undefined;
}

/** The fields of a {@link Binding} in a new rule. */
export const bindingFields = {
  when: expression.optional(),
  activeFrom: moment.optional().describe('The rule does not apply before this time, epoch ms'),
  activeUntil: moment.optional().describe('The rule does not apply from this time on, epoch ms'),
  enforcement: enforcement
    .optional()
    .describe('shadow: the rule is evaluated, traced and counted as if enforced, but denies nothing'),
};

/** The same fields in an update, where null removes a setting. */
export const bindingUpdate = {
  when: expression.nullable().optional().describe('A condition in CEL; null: the rule applies to every operation'),
  activeFrom: moment
    .nullable()
    .optional()
    .describe('The rule does not apply before this time, epoch ms; null: it applies from the start'),
  activeUntil: moment
    .nullable()
    .optional()
    .describe('The rule does not apply from this time on, epoch ms; null: it has no end'),
  enforcement: enforcement.optional(),
};

/** The error in a rule's active period; undefined if there is no error. */
export const bindingError = ({ activeFrom, activeUntil }: Binding): string | undefined =>
  activeFrom !== undefined && activeUntil !== undefined && activeUntil <= activeFrom
    ? 'activeUntil must be after activeFrom'
    : undefined;

export type StoredBinding = Pick<PolicyRule, keyof Binding>;

/** The binding in its stored form, which omits `enforce`, the default. */
export const storedBinding = ({ when, activeFrom, activeUntil, enforcement }: Binding): StoredBinding => ({
  ...(when !== undefined && { when }),
  ...(activeFrom !== undefined && { activeFrom }),
  ...(activeUntil !== undefined && { activeUntil }),
  ...(enforcement === 'shadow' && { enforcement }),
});

/** A {@link Binding} in an update: null removes a setting. */
type BindingUpdate = { readonly [Field in keyof Binding]?: Binding[Field] | null };

/** The binding after an update. Omitted fields keep their values. */
export const updatedBinding = (rule: Binding, update: BindingUpdate): StoredBinding => {
  const { when = rule.when, activeFrom = rule.activeFrom, activeUntil = rule.activeUntil } = update;
  const { enforcement = rule.enforcement } = update;
  const times = { activeFrom: activeFrom ?? undefined, activeUntil: activeUntil ?? undefined };
  return storedBinding({ when: when ?? undefined, ...times, enforcement: enforcement ?? undefined });
};

/** Formats a time to the minute. @param at epoch ms */
export const utc = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Sentences that say when a rule applies and whether it is enforced; empty if the rule is always enforced. */
export const bindingSentences = ({ when, activeFrom, activeUntil, enforcement }: Binding): string[] => [
  ...(when === undefined ? [] : [`Applies when ${when}.`]),
  ...(activeFrom === undefined ? [] : [`Applies from ${utc(activeFrom)}.`]),
  ...(activeUntil === undefined ? [] : [`Applies until ${utc(activeUntil)}.`]),
  ...(enforcement === 'shadow' ? ['In shadow: it denies nothing.'] : []),
];
