import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ruleTables } from '../../../../../test/support/rule-tables.ts';
import type { RuleForm } from '../../../../core/rules/field.ts';
import type { RuleType } from '../../../../core/rules/rule.ts';
import { ruleTypes } from '../../../../core/decision/rule-words.ts';
import { typedRule, typedValues } from './typed-rule.ts';

type Data = Record<string, unknown>;

/** The stored data of a kind's rules in the cases of its test table. */
const examplesOf = ({ type, setup: { policyType } }: RuleType): Data[] =>
  Object.values(ruleTables.find(({ kind }) => kind.type === type)?.codes ?? {})
    .flatMap(({ rows, advices }) => [...rows.map(({ denied }) => denied), ...advices.map(({ denied }) => denied)])
    .flatMap(({ policy }) => policy?.rules ?? [])
    .filter((rule) => rule.policyType === policyType)
    .map(({ policyData }) => policyData as Data);

const withFields = ruleTypes.flatMap((kind): [string, RuleType, RuleForm][] =>
  typeof kind.setup.form === 'object' ? [[kind.type, kind, kind.setup.form]] : [],
);

describe.each(withFields)('the form of %s', (_, { setup, ...kind }, form) => {
  const examples = examplesOf({ setup, ...kind });
  const sent = z.toJSONSchema(setup.sent, { io: 'input', unrepresentable: 'any' });
  // A kind may have several forms of data.
  const properties = Object.assign({}, ...[sent, ...(sent.oneOf ?? [])].map((one) => one.properties)) as object;
  const membersOf = (data: Data) => Object.entries(data).filter(([name]) => name in properties);
  const read = (typed: Record<string, string>) => typedRule(setup, form.fields(typed), typed, 'ETH');

  test('asks for each member of what is sent, and for nothing else', () => {
    const asked = new Set(examples.flatMap((data) => Object.keys(form.fields(typedValues(data)))));
    expect([...asked].toSorted()).toEqual(Object.keys(properties).toSorted());
  });

  test('shows rules that there are, and sends them as they are', () => {
    expect(examples).not.toEqual([]);
    for (const data of examples) {
      const { data: sent } = read(typedValues(data));
      // Some conditions in the cases cannot be evaluated, so they cannot be sent.
      const isSendable = setup.sent.safeParse(Object.fromEntries(membersOf(data))).success;
      expect(sent === undefined ? undefined : setup.keep(sent, { now: 0, keepUrl: String })).toEqual(
        isSendable ? setup.stored.parse(data) : undefined,
      );
    }
    expect(examples.some((data) => read(typedValues(data)).sentence !== undefined)).toBe(true);
  });

  test('says nothing is wrong where nothing is typed', () => {
    expect(Object.keys(form.fields({})).map((field) => read({}).errorOf(field))).not.toContainEqual(
      expect.stringMatching(/./),
    );
  });
});

test('invalid input is reported by field, and nothing is sent', () => {
  const [, kind, form] = withFields.find(([type]) => type === 'tokenHolding')!;
  const typed = { standard: 'ERC20', address: '0x12', minimum: '1.5' };
  const { data, sentence, errorOf } = typedRule(kind.setup, form.fields(typed), typed, 'ETH');
  expect([data, sentence]).toEqual([undefined, undefined]);
  expect(errorOf('address')).toBe('Enter an address: 0x and 40 hex digits.');
  expect(errorOf('minimum')).toBe('Enter a whole number of up to 256 bits.');
  expect(errorOf('standard')).toBe('');
});

test('a whole number that the rule does not take is reported by the limit that it breaks', () => {
  const [, kind, form] = withFields.find(([type]) => type === 'tokenHolding')!;
  const typed = { standard: 'ERC20', address: `0x${'7e'.repeat(20)}`, minimum: '0' };
  expect(typedRule(kind.setup, form.fields(typed), typed, 'ETH').errorOf('minimum')).toBe('It must be at least 1.');
});

test('fields that the form does not ask for are sent', () => {
  const [, kind, form] = withFields.find(([type]) => type === 'tokenHolding')!;
  const typed = { standard: 'ERC721', address: `0x${'7e'.repeat(20)}`, tokenId: '7', minimum: '3' };
  expect(typedRule(kind.setup, form.fields(typed), typed, 'ETH').data).toMatchObject({ tokenId: '7', minimum: '1' });
});

test('an entry of a list that is no address is reported', () => {
  const [, kind, form] = withFields.find(([type]) => type === 'walletDeployment')!;
  const typed = { factories: `0x${'7e'.repeat(20)}, 0x12` };
  const { errorOf } = typedRule(kind.setup, form.fields(typed), typed, 'ETH');
  expect(errorOf('factories')).toBe('An address is 0x and 40 hex digits.');
});
