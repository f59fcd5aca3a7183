import { Document, type Scalar, isMap } from 'yaml';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import type { Policy, PolicyContract, PolicyRule, PolicyWebhook } from '../policy/policy.ts';
import { isRuleType } from '../decision/rule-words.ts';
import { withoutCredentials } from '../webhooks/hidden-credentials.ts';
import { storedBinding } from '../rules/binding.ts';
import { linesOfAbi } from './abi-lines.ts';
import { sentData } from './rule-data.ts';

/** A file contains `active` only for inactive items. */
const paused = ({ active }: { readonly active: boolean }): object => (active ? {} : { active: false });

const contractFields = ({ name, address, abi, whitelistedMethods, ...contract }: PolicyContract): object => ({
  name,
  address,
  methods: whitelistedMethods,
  ...paused(contract),
  abi: linesOfAbi(abi) ?? abi,
});

const ruleFields = (rule: PolicyRule): object => ({
  name: rule.name,
  type: rule.policyType,
  ...paused(rule),
  ...storedBinding(rule),
  data: sentData(rule),
});

const webhookFields = ({ webhookUrl, requestType: method, ...webhook }: PolicyWebhook): object => ({
  url: withoutCredentials(webhookUrl),
  method,
  ...paused(webhook),
});

/** The fields of a policy file, in order. */
export const fileFields = ({
  contracts,
  rules,
  webhooks,
  lowBalanceThresholdWei,
  dapp,
}: Policy): Readonly<Record<string, unknown>> => ({
  version: 1,
  contracts: contracts.map(contractFields),
  rules: rules.filter(({ policyType }) => isRuleType(policyType)).map(ruleFields),
  webhooks: webhooks.map(webhookFields),
  lowBalance: lowBalanceThresholdWei === null ? null : weiToDecimal(BigInt(lowBalanceThresholdWei)),
  allowedOrigins: dapp.allowedOrigins,
  tokenMode: dapp.tokenMode,
  maxExpirySeconds: dapp.maxExpirySeconds,
});

/** A policy file as a YAML document, in which comments can be added. */
export const policyDocument = (policy: Policy): Document => {
  const document = new Document(fileFields(policy));
  document.commentBefore = ` The policy of ${policy.dapp.name.replaceAll(/\p{Cc}/gu, ' ')}. Apply it with "gasdesk policy apply".`;
  if (isMap<Scalar>(document.contents)) {
    const [, ...sections] = document.contents.items;
    for (const { key } of sections) key.spaceBefore = true;
  }
  return document;
};

/** The policy of a DApp as a policy file. The same policy always gives the same text. It contains no credentials. */
export const policyFileText = (policy: Policy): string =>
  // Long lines are not wrapped, so that diffs stay readable.
  policyDocument(policy).toString({ lineWidth: 0 });
