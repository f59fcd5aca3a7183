import type { Field, RuleFieldKind, TypedValues } from '../../../../core/rules/field.ts';
import type { RuleType } from '../../../../core/rules/rule.ts';
import type { Rule } from '../../desk/types.ts';
import { ENTER_ADDRESS } from '../../ui/typed-address.ts';

type Setup = RuleType['setup'];

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(' ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

/** The texts that the fields of a form show for a rule. */
export const typedValues = (data: Rule['policyData']): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, textOf(value)]));

/** The addresses in a text, separated by spaces or commas. */
export const typedList = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');

const asText = (text: string): unknown => (text === '' ? undefined : text);
const asList = (text: string): unknown => (text === '' ? undefined : typedList(text));

/** The value to send for the text in a field; undefined if none is sent. */
const SENT: Readonly<Record<RuleFieldKind, (text: string) => unknown>> = {
  text: asText,
  expression: asText,
  address: asText,
  digits: asText,
  choice: asText,
  addresses: asList,
  accounts: asList,
  count: (text) => (/^\d+$/.test(text) ? Number(text) : asText(text)),
  yes: (text) => (text === 'yes' ? true : undefined),
};

// For a list of addresses, "it" would not say which address is meant.
const ADDRESSES = 'An address is 0x and 40 hex digits.';

/** What is wrong with a text, where the words of the interface are not those of a form; empty for its words. */
const WRONG: Readonly<Partial<Record<RuleFieldKind, (text: string) => string>>> = {
  address: () => ENTER_ADDRESS,
  addresses: () => ADDRESSES,
  accounts: () => ADDRESSES,
  digits: (text) => (/^\d{1,77}$/.test(text) ? '' : 'Enter a whole number of up to 256 bits.'),
  count: (text) => (/^\d+$/.test(text) ? '' : 'Enter a whole number.'),
};

/** A rule as it has been typed so far. */
export interface TypedRule {
  /** `policyData` to send; undefined while it is invalid. */
  readonly data: Record<string, unknown> | undefined;
  /** The effect of such a rule; undefined while it is invalid. */
  readonly sentence: string | undefined;
  /** The error in a field as a sentence; empty without an error, or if nothing has been typed. */
  readonly errorOf: (name: string) => string;
}

/** Reads the fields of a form. @param coin symbol of the native coin */
export const typedRule = (
  setup: Setup,
  fields: Readonly<Record<string, Field>>,
  typed: TypedValues,
  coin: string,
): TypedRule => {
  const texts = new Map(
    Object.entries(fields).map(([name, field]) => [name, (field.fixed ?? typed[name] ?? field.default).trim()]),
  );
  const members = Object.entries(fields).flatMap(([name, { kind }]) => {
    const value = SENT[kind](texts.get(name) ?? '');
    return value === undefined ? [] : [[name, value] as const];
  });
  const { data, error } = setup.sent.safeParse(Object.fromEntries(members));
  return {
    data: data as Record<string, unknown> | undefined,
    sentence:
      error === undefined ? setup.sentence(setup.keep(data, { now: 0, keepUrl: (url) => url }), coin) : undefined,
    errorOf(name) {
      const issue = error?.issues.find(({ path }) => path[0] === name);
      const text = texts.get(name) ?? '';
      const kind = fields[name]?.kind;
      if (issue === undefined || kind === undefined || text === '') return '';
      return WRONG[kind]?.(text) || `It ${issue.message}.`;
    },
  };
};
