import canonicalize from 'canonicalize';
import { restarts } from '../rules/rule.ts';
import { decimalToWei } from '../../shared/schema/decimal.ts';
import { sameAddress } from '../../shared/schema/hex.ts';
import { stateChangingMethods } from '../contract-abi/methods.ts';
import type { Policy, PolicyContract, PolicyRule, PolicyWebhook } from '../policy/policy.ts';
import { storedBinding } from '../rules/binding.ts';
import { isRuleType, ruleTypeOf } from '../decision/rule-words.ts';
import { withoutCredentials } from '../webhooks/hidden-credentials.ts';
import type { FileContract, FileRule, PolicyFile } from './format.ts';
import { storedData, sentData, withCredentialsOf } from './rule-data.ts';

/** What a draft needs in addition to the file. */
export interface DraftInputs {
  /** When new or changed limits start, epoch ms. */
  readonly now: number;
  /** Creates the id of a new contract, rule or webhook. */
  readonly newId: (name: string) => string;
}

const isSame = (one: unknown, other: unknown): boolean => canonicalize(one) === canonicalize(other);

const draftContract = (
  { name, address, abi, methods, active }: FileContract,
  current: Policy,
  { newId }: DraftInputs,
): PolicyContract => {
  const known = current.contracts.find((one) => sameAddress(one.address, address));
  return {
    ruleId: known?.ruleId ?? newId(name),
    name,
    // If only the letter case of the address differs, the stored one is kept.
    address: known?.address ?? address,
    abi,
    methods: known?.abi === abi ? known.methods : stateChangingMethods(abi).map(({ label }) => label),
    whitelistedMethods: [...methods],
    active,
  };
};

const draftRule = (
  { name, type, data, active, ...rule }: FileRule,
  current: Policy,
  { now, newId }: DraftInputs,
): PolicyRule => {
  const binding = storedBinding(rule);
  const known = current.rules.find((one) => one.name === name && one.policyType === type);
  const { setup } = ruleTypeOf(type);
  if (known === undefined) {
    const policyData = storedData(setup, data, now);
    return { ruleId: newId(name), name, policyType: type, policyData, active, cycle: 0, ...binding };
  }
  const stored = storedData(setup, data, now);
  const { ruleId, cycle, policyData } = known;
  const same = { ruleId, name, policyType: type, active, ...binding };
  const before = setup.sent.safeParse(sentData(known));
  // Validates both as if they were sent now, so that values that Gasdesk adds, such as a limit's start time, do not
  // count as changes.
  if (before.success && isSame(stored, storedData(setup, sentData(known), now))) return { ...same, policyData, cycle };
  const changed = withCredentialsOf(stored, policyData);
  return { ...same, policyData: changed, cycle: restarts(setup, policyData, changed) ? cycle + 1 : cycle };
};

/** Webhooks have no names, so URL and method identify them. Each existing webhook is matched only once. */
const draftWebhooks = ({ webhooks }: PolicyFile, current: Policy, { newId }: DraftInputs): PolicyWebhook[] => {
  const left = [...current.webhooks];
  return webhooks.map(({ url, method, active }) => {
    const index = left.findIndex((one) => one.requestType === method && withoutCredentials(one.webhookUrl) === url);
    const [known] = index < 0 ? [] : left.splice(index, 1);
    return {
      webhookId: known?.webhookId ?? newId(url),
      webhookUrl: known?.webhookUrl ?? url,
      requestType: method,
      active,
    };
  });
};

/**
 * The policy of a DApp after the file is applied. Contracts with the same address, rules with the same name and type,
 * and webhooks with the same URL and method keep their ids; unchanged rules also keep their windows. Settings that a
 * file cannot contain do not change: those of the chain, and rules of types that this version of Gasdesk does not know.
 */
export const draftPolicy = (
  file: PolicyFile,
  current: Policy,
  drafting: DraftInputs = { now: 0, newId: (name) => `new:${name}` },
): Policy => ({
  ...current,
  dapp: {
    ...current.dapp,
    allowedOrigins: file.allowedOrigins,
    maxExpirySeconds: file.maxExpirySeconds,
    tokenMode: file.tokenMode,
  },
  contracts: file.contracts.map((contract) => draftContract(contract, current, drafting)),
  rules: [
    ...file.rules.map((rule) => draftRule(rule, current, drafting)),
    ...current.rules.filter(({ policyType }) => !isRuleType(policyType)),
  ],
  webhooks: draftWebhooks(file, current, drafting),
  lowBalanceThresholdWei: file.lowBalance === null ? null : String(decimalToWei(file.lowBalance)),
});
