import { bindingSentences } from '../../rules/binding.ts';
import { ruleTypeOf } from '../../decision/rule-words.ts';
import { addToFile } from './add-to-file.ts';
import type { PolicyFile } from '../format.ts';
import { parsePolicyFile } from '../parse-file.ts';
import { storedData } from '../rule-data.ts';
import type { TypedValues } from '../../rules/field.ts';
import { type FieldError, type TemplateResult, type Template, type TemplateRule, fieldError } from './template.ts';

export type TemplateOutcome =
  | { readonly errors: readonly FieldError[] }
  | {
      /** The file with the template's additions. Existing comments and tests are kept. */
      readonly text: string;
      /** What the additions do, one sentence for each rule. */
      readonly does: readonly { readonly name: string; readonly sentence: string }[];
      /** Whether the template's rules need the price of the chain's coin in US dollars. */
      readonly needsPrice: boolean;
    };

const errorsOf = (template: Template, values: TypedValues, file: PolicyFile, now: number): readonly FieldError[] => {
  const errors = Object.entries(template.fields).flatMap(([field, one]) => {
    const message = fieldError(one, values[field] ?? '');
    return message === '' ? [] : [{ field, message }];
  });
  return errors.length > 0 ? errors : (template.errors?.(values, file, now) ?? []);
};

/** The name, followed by a number if another rule already has that name. */
const freeName = (name: string, taken: ReadonlySet<string>): string => {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`;
  return free;
};

const sentenceOf = ({ type, data, when, binds }: TemplateRule, coin: string): string => {
  const { setup } = ruleTypeOf(type);
  const binding = binds === undefined ? bindingSentences({ when }) : [binds];
  return [setup.sentence(storedData(setup, data, 0), coin), ...binding].join(' ');
};

const doesAlone = ({ alone }: TemplateResult, { contracts }: PolicyFile) => {
  if (alone === undefined) return [];
  const others = contracts.filter(({ name, active }) => active && name !== alone.contract);
  return [
    { name: alone.contract, sentence: `Only ${alone.method} on ${alone.contract} is sponsored.` },
    ...others.map(({ name }) => ({ name, sentence: `${name} is paused: calls to it are denied.` })),
  ];
};

/**
 * Adds a template to a policy file. If a rule already has the name of an added rule, the name gets a number.
 * @param typed field values by name
 * @param coin symbol of the chain's coin
 * @param now epoch ms
 * @throws EngineError `POLICY_FILE_INVALID` if the text is not a policy file
 */
export const startFromTemplate = (
  text: string,
  template: Template,
  typed: TypedValues,
  coin: string,
  now: number,
): TemplateOutcome => {
  const file = parsePolicyFile(text);
  const values = Object.fromEntries(Object.keys(template.fields).map((field) => [field, (typed[field] ?? '').trim()]));
  const errors = errorsOf(template, values, file, now);
  if (errors.length > 0) return { errors };
  const made = template.make(values);
  const taken = new Set(file.rules.map(({ name }) => name));
  const rules = made.rules.map((rule) => ({ ...rule, name: freeName(rule.name, taken) }));
  return {
    text: addToFile(text, { ...made, rules }),
    does: [...doesAlone(made, file), ...rules.map((rule) => ({ name: rule.name, sentence: sentenceOf(rule, coin) }))],
    needsPrice: rules.some(({ data }) => 'thresholdType' in data && data.thresholdType === 'USD'),
  };
};
