import { decidingRules, ruleName, ruleTypes } from '../../../../core/decision/rule-words.ts';
import { CONTRACT_TYPE } from '../../../../api/rules.ts';
import type { OwnForm } from '../../../../core/rules/field.ts';
import type { Rule, Webhook } from '../../desk/types.ts';
import { type RegisteredContract, contractOf, tickedOf } from '../contracts/registered-contract.ts';
import { ruleSentence } from '../rules/rule-words.ts';

/** Part of a policy that an operator has set up. */
export interface PolicyEntry {
  /** The name used for it in `of` and `at` in the page's address. */
  readonly key: string;
  readonly name: string;
  readonly sentence: string;
  readonly active: boolean;
  /** The rule, if the entry is one. */
  readonly rule: Rule | undefined;
  readonly contract: RegisteredContract | undefined;
  readonly webhook: Webhook | undefined;
  /** True if its form can change it. Otherwise, it must be deleted and added again. */
  readonly isEditable: boolean;
}

/** One kind of rule, at its position in the order of checks. */
export interface PolicyStep {
  /** Its name in traces. */
  readonly type: string;
  readonly title: string;
  readonly entries: readonly PolicyEntry[];
  /** Label of the button that adds an entry; undefined if operators cannot add any. */
  readonly add: string | undefined;
}

/** What an operator has set up for a DApp. */
export interface SetUp {
  readonly rules: readonly Rule[];
  readonly webhooks: readonly Webhook[];
  /** Symbol of the chain's native coin. */
  readonly coin: string;
}

/**
 * Forms that are more than a list of fields, by the type of their kind: the button that opens them, and whether they
 * can change an existing rule.
 */
const OWN_FORMS: Readonly<Record<OwnForm, { readonly opens: string; readonly changesRules: boolean }>> = {
  spendingLimit: { opens: 'Add limit', changesRules: true },
  // The form cannot show the rule's current URL, parts of which are in the vault.
  webhook: { opens: 'Add webhook', changesRules: false },
};

/**
 * Label of the button that adds to a kind, and whether its form can change an existing rule; undefined if operators
 * cannot add to it.
 */
const formOf = (type: string): { readonly opens: string; readonly changesRules: boolean } | undefined => {
  if (type === 'contracts') return { opens: 'Add contract', changesRules: true };
  const form = ruleTypes.find((kind) => kind.type === type)?.setup.form;
  return typeof form === 'object' ? { opens: form.opens, changesRules: true } : form && OWN_FORMS[form];
};

const contractSentence = (contract: RegisteredContract, active: boolean): string => {
  const ticked = tickedOf(contract);
  if (!active) return `Calls to ${contract.name} are denied while it is paused.`;
  if (ticked.length === 0) return `No method of ${contract.name} is sponsored.`;
  return `Only ${ticked.join(', ')} on ${contract.name}.`;
};

const ofContract = (rule: Rule): PolicyEntry[] => {
  const contract = contractOf(rule);
  if (contract === undefined) return [];
  const { name, active } = rule;
  return [
    {
      key: contract.address,
      name,
      active,
      rule,
      contract,
      webhook: undefined,
      isEditable: true,
      sentence: contractSentence(contract, active),
    },
  ];
};

const ofWebhook = (webhook: Webhook): PolicyEntry => ({
  key: webhook.webhookId,
  name: webhook.webhookUrl,
  active: webhook.active,
  rule: undefined,
  contract: undefined,
  webhook,
  isEditable: true,
  sentence: `${webhook.webhookUrl} must verify each operation.`,
});

const ofRule =
  (coin: string, isEditable: boolean) =>
  (rule: Rule): PolicyEntry => ({
    key: rule._id,
    name: rule.name,
    active: rule.active,
    rule,
    contract: undefined,
    webhook: undefined,
    isEditable,
    sentence: ruleSentence(rule, coin),
  });

/**
 * What the form of an entry shows when it opens, and keeps showing if the entry is changed elsewhere. The form of a
 * contract follows such changes. The schedule has its own form.
 */
export const shownIn = ({ rule, contract, webhook }: PolicyEntry): unknown =>
  contract === undefined && [rule?.name, rule?.policyData, webhook?.webhookUrl];

const entriesOf = (type: string, { rules, webhooks, coin }: SetUp): PolicyEntry[] => {
  if (type === 'contracts') return rules.filter(({ policyType }) => policyType === CONTRACT_TYPE).flatMap(ofContract);
  const kind = ruleTypes.find((one) => one.type === type);
  const own = rules.filter(({ policyType }) => policyType === kind?.setup.policyType);
  const entries = own.map(ofRule(coin, formOf(type)?.changesRules === true));
  return type === 'webhook' ? [...webhooks.map(ofWebhook), ...entries] : entries;
};

/** A DApp's policy, in the order in which rules are checked and traces show them. */
export const policySteps = (setUp: SetUp): PolicyStep[] =>
  decidingRules.map((type) => ({
    type,
    title: ruleName(type),
    entries: entriesOf(type, setUp),
    add: formOf(type)?.opens,
  }));
