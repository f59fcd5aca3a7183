import { limitSetup } from '../rules/spending-limit/index.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';

/**
 * A limit as if it had been in force before it was set: one of its windows ends when its first one began. The account
 * it counts in until then is its own, and no record names it.
 */
const inForceAt = (rule: PolicyRule, at: number): PolicyRule => {
  const { policyType, policyData, ruleId } = rule;
  if (policyType !== limitSetup.policyType) return rule;
  const limit = limitSetup.stored.parse(policyData);
  const { startTimeInEpoch: start, durationInMs } = limit;
  if (start <= at) return rule;
  const startTimeInEpoch =
    durationInMs === undefined ? at : start - Math.ceil((start - at) / durationInMs) * durationInMs;
  return { ...rule, ruleId: `before:${ruleId}`, policyData: { ...limit, startTimeInEpoch } };
};

/**
 * The draft, with everything a policy file cannot hold taken from the policy in force at the time.
 *
 * @param from when its new and changed limits began, epoch ms
 */
export const draftBeside = (recorded: Policy, draft: Policy, from: number): Policy => {
  const { dapp, contracts, rules, webhooks, lowBalanceThresholdWei } = draft;
  const { allowedOrigins, maxExpirySeconds, tokenMode } = dapp;
  const known = new Set(recorded.rules.map(({ ruleId, cycle }) => `${ruleId}:${cycle}`));
  return {
    ...recorded,
    dapp: { ...recorded.dapp, allowedOrigins, maxExpirySeconds, tokenMode },
    contracts,
    webhooks,
    lowBalanceThresholdWei,
    rules: rules.map((rule) => (known.has(`${rule.ruleId}:${rule.cycle}`) ? rule : inForceAt(rule, from))),
  };
};
