import { address } from '../../../shared/schema/hex.ts';
import { name } from '../../../shared/schema/text.ts';
import type { Field as FormField, TypedValues } from '../../rules/field.ts';
import type { PolicyFile } from '../format.ts';

/**
 * Type of a template field's value. `time` is ISO 8601 with a zone; `amount` is in the unit that the field `currency`
 * names.
 */
export type FieldKind =
  'name' | 'id' | 'count' | 'amount' | 'time' | 'choice' | 'yes' | 'address' | 'contract' | 'method';

export type Field = FormField<FieldKind>;

/** What is wrong with a field, phrased to follow the field's label. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A rule as a policy file contains it. */
export interface TemplateRule {
  readonly name: string;
  readonly type: string;
  readonly data: object;
  readonly when?: string;
  /** {@link when} as a sentence. */
  readonly binds?: string;
}

/** The rules that a template creates from its fields. */
export interface TemplateResult {
  readonly rules: readonly TemplateRule[];
  /**
   * The only method that remains sponsored: other methods are removed from the whitelist, and other contracts are
   * paused.
   */
  readonly alone?: { readonly contract: string; readonly method: string };
}

/** A common starting point for a policy. */
export interface Template<Name extends string = string> {
  /** The template's name on the command line. */
  readonly name: string;
  readonly title: string;
  readonly purpose: string;
  readonly fields: Readonly<Record<Name, Field>>;
  /** Errors that involve several fields, the policy or the time (epoch ms). Called only if each field by itself is valid. */
  errors?(
    values: Readonly<Record<Name, string>>,
    file: PolicyFile,
    now: number,
  ): readonly (FieldError & { readonly field: Name })[];
  make(values: Readonly<Record<Name, string>>): TemplateResult;
  /** What the template's rules do not protect against, in sentences. */
  leaves(values: Readonly<Record<Name, string>>): readonly string[];
}

const WITH_ZONE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;
/** The amount of a limit: below 10^15, with up to 18 decimal places. */
const AMOUNT = /^(?=.*[1-9])\d{1,15}(?:\.\d{1,18})?$/;
/** Lower than the maximum for other texts, because the name becomes part of rule names. */
const LONGEST_NAME = 60;
const LONGEST_ID = 200;

const idError = (text: string): string => {
  const isText = text.length <= LONGEST_ID && text.isWellFormed() && !/\p{Cc}/u.test(text);
  return isText ? '' : `must have at most ${LONGEST_ID} characters, and no control characters`;
};

/** Also false for dates such as February 30, which Date would read as March 2. */
const isTime = (text: string): boolean => {
  const day = text.slice(0, 'YYYY-MM-DD'.length);
  return WITH_ZONE.test(text) && !Number.isNaN(Date.parse(text)) && new Date(day).toISOString().startsWith(day);
};

/** Checks by kind of field. Whether the DApp has a contract or method is checked separately. */
const ERRORS: Readonly<Record<FieldKind, (text: string, field: Field) => string>> = {
  name: (text) =>
    text.length <= LONGEST_NAME && name.safeParse(text).success ? '' : `must have at most ${LONGEST_NAME} characters`,
  id: idError,
  count: (text) => (/^[1-9]\d{0,14}$/.test(text) ? '' : 'must be a whole number of at least 1'),
  amount: (text) =>
    AMOUNT.test(text) ? '' : 'must be a positive amount such as 0.5, below 10^15 and with at most 18 decimals',
  time: (text) =>
    isTime(text) ? '' : 'must be a date such as 2026-12-24, or a time with its zone such as 2026-12-24T18:00Z',
  choice: (text, { options = {} }) =>
    Object.hasOwn(options, text) ? '' : `must be one of: ${Object.keys(options).join(', ')}`,
  yes: (text) => (text === 'yes' || text === 'no' ? '' : 'must be yes or no'),
  address: (text) => (address.safeParse(text).success ? '' : 'must be an address: 0x and 40 hex digits'),
  contract: () => '',
  method: () => '',
};

/** What is wrong with a field's value; empty if the value is valid. */
export const fieldError = (field: Field, text: string): string => {
  if (text.trim() === '') return field.optional === true ? '' : 'must be given';
  return ERRORS[field.kind](text.trim(), field);
};

/** The values used for empty fields. */
export const defaultValues = ({ fields }: Template): TypedValues =>
  Object.fromEntries(Object.entries(fields).map(([field, { default: text }]) => [field, text]));
