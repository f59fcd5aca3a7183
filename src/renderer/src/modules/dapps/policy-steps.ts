import { decidingRules, ruleName, ruleTypes } from '../../../../core/decision/rule-words.ts';
import { CONTRACT_TYPE } from '../../../../api/rules.ts';
import type { OwnForm } from '../../../../core/rules/field.ts';
import type { Rule, Webhook } from '../../desk/types.ts';
import { type RegisteredContract, contractOf, tickedOf } from '../contracts/registered-contract.ts';
import { ruleSentence } from '../rules/rule-words.ts';

/** Something in a policy that an operator has set up. */
export interface PolicyEntry {
  /** What `of` and `at` name in the page's address. */
  readonly key: string;
  readonly name: string;
  readonly sentence: string;
  readonly active: boolean;
  /** What it is, besides a sentence. */
  readonly rule: Rule | undefined;
  readonly contract: RegisteredContract | undefined;
  readonly webhook: Webhook | undefined;
  /** Its form can change it; else it is deleted and added again. */
  readonly isEditable: boolean;
}

/** One kind of rule, where the desk comes to it. */
export interface PolicyStep {
  /** As traces name it. */
  readonly type: string;
  readonly title: string;
  readonly entries: readonly PolicyEntry[];
  /** Label of the button that adds one; undefined if operators add none. */
  readonly add: string | undefined;
}

/** What an operator has set up for a DApp. */
export interface SetUp {
  readonly rules: readonly Rule[];
  readonly webhooks: readonly Webhook[];
  /** What the coin of the chain is called. */
  readonly coin: string;
}

/** Forms that are more than fields, by the type of their kind: what opens them, and whether they change a rule that there is. */
const OWN_FORMS: Readonly<Record<OwnForm, { readonly opens: string; readonly changesRules: boolean }>> = {
  spendingLimit: { opens: 'Add limit', changesRules: true },
  // What a rule's URL hides is in the vault.
  webhook: { opens: 'Add webhook', changesRules: false },
};

/** Label of the button that adds to a kind, and whether its form changes a rule; undefined if operators add nothing. */
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

const entriesOf = (type: string, { rules, webhooks, coin }: SetUp): PolicyEntry[] => {
  if (type === 'contracts') return rules.filter(({ policyType }) => policyType === CONTRACT_TYPE).flatMap(ofContract);
  const kind = ruleTypes.find((one) => one.type === type);
  const own = rules.filter(({ policyType }) => policyType === kind?.setup.policyType);
  const entries = own.map(ofRule(coin, formOf(type)?.changesRules === true));
  return type === 'webhook' ? [...webhooks.map(ofWebhook), ...entries] : entries;
};

/** A DApp's policy in the order in which the desk decides, and in which every trace shows it. */
export const policySteps = (setUp: SetUp): PolicyStep[] =>
  decidingRules.map((type) => ({
    type,
    title: ruleName(type),
    entries: entriesOf(type, setUp),
    add: formOf(type)?.opens,
  }));
