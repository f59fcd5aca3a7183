import { decidingRules, ruleName, ruleTypes } from '../../../../core/rule-words.ts';
import { CONTRACT_TYPE } from '../../../../api/rules.ts';
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
  /** Its form can change it; else it is deleted and added anew. */
  readonly isEditable: boolean;
}

/** One kind of rule, where the desk comes to it. */
export interface PolicyStep {
  /** As traces name it. */
  readonly type: string;
  readonly title: string;
  readonly entries: readonly PolicyEntry[];
  /** What the button says that adds one; undefined where operators add none. */
  readonly add: string | undefined;
}

/** What an operator has set up for a DApp. */
export interface SetUp {
  readonly rules: readonly Rule[];
  readonly webhooks: readonly Webhook[];
  /** What the coin of the chain is called. */
  readonly coin: string;
}

/** Kinds in which operators add something that is none of the rules of `rules.create`, or has a better word for it. */
const ADD: Readonly<Record<string, string>> = {
  contracts: 'Add contract',
  walletDeployment: 'Sponsor deployments',
  spendingLimit: 'Add limit',
  webhook: 'Add webhook',
  senders: 'Add list',
  condition: 'Add condition',
  tokenHolding: 'Add holding',
};

/** Kinds whose rules a form can change. */
const EDITABLE: ReadonlySet<string> = new Set(['spendingLimit', 'senders', 'condition', 'tokenHolding']);

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
      ...{ key: contract.address, name, active, rule, contract, webhook: undefined, isEditable: true },
      sentence: contractSentence(contract, active),
    },
  ];
};

const ofWebhook = (webhook: Webhook): PolicyEntry => ({
  ...{ key: webhook.webhookId, name: webhook.webhookUrl, active: webhook.active },
  ...{ rule: undefined, contract: undefined, webhook, isEditable: true },
  sentence: `${webhook.webhookUrl} must verify each operation.`,
});

const ofRule =
  (coin: string, isEditable: boolean) =>
  (rule: Rule): PolicyEntry => ({
    ...{ key: rule._id, name: rule.name, active: rule.active, rule, contract: undefined, webhook: undefined },
    ...{ isEditable, sentence: ruleSentence(rule, coin) },
  });

const entriesOf = (type: string, { rules, webhooks, coin }: SetUp): PolicyEntry[] => {
  if (type === 'contracts') return rules.filter(({ policyType }) => policyType === CONTRACT_TYPE).flatMap(ofContract);
  const kind = ruleTypes.find((one) => one.type === type);
  const own = rules.filter(({ policyType }) => policyType === kind?.setup.policyType);
  const entries = own.map(ofRule(coin, EDITABLE.has(type)));
  return type === 'webhook' ? [...webhooks.map(ofWebhook), ...entries] : entries;
};

/** A DApp's policy in the order in which the desk decides, and in which every trace shows it. */
export const policySteps = (setUp: SetUp): PolicyStep[] =>
  decidingRules.map((type) => ({
    ...{ type, title: ruleName(type), entries: entriesOf(type, setUp) },
    add: ADD[type] ?? (ruleTypes.some((kind) => kind.type === type) ? 'Add rule' : undefined),
  }));
