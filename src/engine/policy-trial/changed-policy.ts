import { z } from 'zod';
import type { PolicyChange } from '../../api/policy-trials.ts';
import { storedBinding, updatedBinding } from '../../core/rules/binding.ts';
import { stateChangingMethods, whitelisted } from '../../core/contract-abi/methods.ts';
import { draftPolicy } from '../../core/policy-file/draft-policy.ts';
import { parsePolicyFile } from '../../core/policy-file/parse-file.ts';
import { storedData } from '../../core/policy-file/rule-data.ts';
import type { Policy, PolicyContract, PolicyRule, PolicyWebhook } from '../../core/policy/policy.ts';
import { ruleTypeOf } from '../../core/decision/rule-words.ts';
import { limitSetup, updatedLimit } from '../../core/rules/spending-limit/index.ts';
import { restarts } from '../../core/rules/rule.ts';
import type { DraftAt } from '../../core/trial/draft-beside.ts';
import { hideCredentials } from '../../core/webhooks/hidden-credentials.ts';
import { EngineError } from '../../shared/errors.ts';
import { parse } from '../../shared/schema/parse.ts';
import { sameAddress } from '../../shared/schema/hex.ts';

type InputOf<Name extends PolicyChange['name']> = Extract<PolicyChange, { name: Name }>['input'];

const NEW = { ruleId: 'new', active: true, cycle: 0 } as const;

/** Changes or removes the matching items. @throws EngineError with this code if no item matches */
const changed = <Item>(
  items: readonly Item[],
  isMeant: (item: Item) => boolean,
  change: (item: Item) => Item | undefined,
  code: ConstructorParameters<typeof EngineError>[0],
): Item[] => {
  if (!items.some(isMeant)) throw new EngineError(code);
  return items.flatMap((item) => {
    const after = isMeant(item) ? change(item) : item;
    return after === undefined ? [] : [after];
  });
};

const withRule = (
  policy: Policy,
  id: string,
  change: (rule: PolicyRule) => PolicyRule | undefined,
): Pick<Policy, 'rules'> => ({ rules: changed(policy.rules, ({ ruleId }) => ruleId === id, change, 'RULE_NOT_FOUND') });

const withContract = (
  { contracts }: Policy,
  isMeant: (contract: PolicyContract) => boolean,
  change: (contract: PolicyContract) => PolicyContract | undefined,
): Pick<Policy, 'contracts'> => ({ contracts: changed(contracts, isMeant, change, 'SMART_CONTRACT_NOT_FOUND') });

const withWebhook = (
  { webhooks }: Policy,
  id: string,
  change: (webhook: PolicyWebhook) => PolicyWebhook | undefined,
): Pick<Policy, 'webhooks'> => ({
  webhooks: changed(webhooks, ({ webhookId }) => webhookId === id, change, 'WEBHOOK_NOT_FOUND'),
});

/** Registered contracts can be paused like rules. */
const withActive = (policy: Policy, { ruleId }: InputOf<'rules.activate'>, active: boolean): Partial<Policy> =>
  policy.contracts.some((contract) => contract.ruleId === ruleId)
    ? withContract(
        policy,
        (contract) => contract.ruleId === ruleId,
        (contract) => ({ ...contract, active }),
      )
    : withRule(policy, ruleId, (rule) => ({ ...rule, active }));

const newRule = (
  { name, policyType, policyData, ...binding }: InputOf<'rules.create'>['rule'],
  from: number,
): PolicyRule => ({
  ...NEW,
  name,
  policyType,
  policyData: storedData(ruleTypeOf(policyType).setup, policyData, from),
  ...storedBinding(binding),
});

const updatedRule = (rule: PolicyRule, { update }: InputOf<'rules.update'>, from: number): PolicyRule => {
  const { ruleId, policyType, active, cycle } = rule;
  const same = { ruleId, policyType, active, name: update.name ?? rule.name, ...updatedBinding(rule, update) };
  if (update.policyData === undefined) return { ...same, policyData: rule.policyData, cycle };
  const { setup } = ruleTypeOf(policyType);
  const { policyData } = parse(z.strictObject({ policyData: setup.sent }), { policyData: update.policyData });
  const stored = storedData(setup, policyData, from);
  return { ...same, policyData: stored, cycle: restarts(setup, rule.policyData, stored) ? cycle + 1 : cycle };
};

const withLimit = (rule: PolicyRule, { update }: InputOf<'rules.updateLimit'>, from: number): PolicyRule => {
  if (rule.policyType !== limitSetup.policyType) throw new EngineError('NOT_A_LIMIT');
  const { name = rule.name, ...limit } = update;
  const before = limitSetup.stored.parse(rule.policyData);
  const policyData = updatedLimit(before, limit, from);
  const cycle = restarts(limitSetup, before, policyData) ? rule.cycle + 1 : rule.cycle;
  return { ...rule, name, policyData, cycle };
};

const newContract = ({ name, address, abi, whitelistedMethods = [] }: InputOf<'contracts.create'>): PolicyContract => {
  const methods = stateChangingMethods(abi);
  whitelisted(methods, whitelistedMethods);
  const { ruleId, active } = NEW;
  return { ruleId, name, address, abi, methods: methods.map(({ label }) => label), whitelistedMethods, active };
};

const withMethods = (contract: PolicyContract, whitelistedMethods: string[]): PolicyContract => {
  whitelisted(stateChangingMethods(contract.abi), whitelistedMethods);
  return { ...contract, whitelistedMethods };
};

const CHANGES: {
  readonly [Name in PolicyChange['name']]: (policy: Policy, input: InputOf<Name>, from: number) => Partial<Policy>;
} = {
  'policies.apply': (policy, { text }, now) =>
    draftPolicy(parsePolicyFile(text), policy, { now, newId: (name) => `new:${name}` }),
  'rules.create': ({ rules }, { rule }, from) => ({ rules: [...rules, newRule(rule, from)] }),
  'rules.updateLimit': (policy, input, from) => withRule(policy, input.ruleId, (rule) => withLimit(rule, input, from)),
  'rules.update': (policy, input, from) => withRule(policy, input.ruleId, (rule) => updatedRule(rule, input, from)),
  'rules.delete': (policy, { ruleId }) => withRule(policy, ruleId, () => undefined),
  'rules.activate': (policy, input) => withActive(policy, input, true),
  'rules.deactivate': (policy, input) => withActive(policy, input, false),
  'contracts.create': ({ contracts }, input) => ({ contracts: [...contracts, newContract(input)] }),
  'contracts.update': (policy, { address, whitelistedMethods }) =>
    withContract(
      policy,
      (contract) => sameAddress(contract.address, address),
      (contract) => withMethods(contract, whitelistedMethods),
    ),
  'contracts.delete': (policy, { address }) =>
    withContract(
      policy,
      (contract) => sameAddress(contract.address, address),
      () => undefined,
    ),
  'webhooks.create': ({ webhooks }, { webhookUrl, requestType }) => ({
    webhooks: [...webhooks, { webhookId: 'new', webhookUrl: hideCredentials(webhookUrl), requestType, active: true }],
  }),
  'webhooks.setUrl': (policy, { webhookId, webhookUrl }) =>
    withWebhook(policy, webhookId, (webhook) => ({ ...webhook, webhookUrl: hideCredentials(webhookUrl) })),
  'webhooks.update': (policy, { webhookId, active }) =>
    withWebhook(policy, webhookId, (webhook) => ({ ...webhook, active })),
  'webhooks.delete': (policy, { webhookId }) => withWebhook(policy, webhookId, () => undefined),
  'paymasters.setTokenMode': ({ dapp }, { tokenMode }) => ({ dapp: { ...dapp, tokenMode } }),
  'paymasters.setMaxExpiry': ({ dapp }, { seconds }) => ({ dapp: { ...dapp, maxExpirySeconds: seconds } }),
};

/**
 * The policy as it would be after the procedure. Nothing is stored. The returned function throws the same errors as the
 * procedure if the input does not fit the policy: EngineError such as `RULE_NOT_FOUND` or `POLICY_FILE_INVALID`.
 */
export const changedPolicy =
  (current: Policy, { name, input }: PolicyChange): DraftAt =>
  (from) => {
    const change = CHANGES[name] as (policy: Policy, input: unknown, from: number) => Partial<Policy>;
    return { ...current, ...change(current, input, from) };
  };
