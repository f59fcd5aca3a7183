import type { Field, RuleFieldKind, TypedValues } from '../../../../core/rules/field.ts';
import type { RuleType } from '../../../../core/rules/rule.ts';
import type { Rule } from '../../desk/types.ts';

type Setup = RuleType['setup'];

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(' ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

/** What fields show of a rule. */
export const typedValues = (data: Rule['policyData']): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, textOf(value)]));

/** The addresses of a text, which spaces or commas divide. */
export const typedList = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');

const asText = (text: string): unknown => (text === '' ? undefined : text);
const asList = (text: string): unknown => (text === '' ? undefined : typedList(text));

/** The value that is sent for the text entered in a field; undefined if none is sent. */
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

/** A rule as it is typed. */
export interface TypedRule {
  /** `policyData` as it can be sent; undefined while it cannot. */
  readonly data: Record<string, unknown> | undefined;
  /** What such a rule does; undefined while it cannot be sent. */
  readonly sentence: string | undefined;
  /** What is wrong with a field, in a sentence; empty: nothing, or nothing is typed. */
  readonly errorOf: (name: string) => string;
}

/** Reads the fields of a form. @param coin what the coin of the chain is called */
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
      if (issue === undefined || texts.get(name) === '') return '';
      // Of several, "it" is none.
      return issue.path.length === 1 ? `It ${issue.message}.` : 'An address is 0x and 40 hex digits.';
    },
  };
};
