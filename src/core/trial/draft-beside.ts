import { limitSetup } from '../rules/spending-limit/index.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';

/**
 * A limit as if it had been in force earlier. Its windows are extended into the past so that one of them ends when the
 * first window of the limit starts. Until then, the limit counts in a separate ledger account, which no record names.
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
 * The draft policy. Settings that a policy file cannot contain come from the policy in force when the decision was
 * made.
 *
 * @param from when the draft's new and changed limits start, epoch ms
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

/** Returns the draft, given when its new and changed limits start (epoch ms). */
export type DraftAt = (from: number) => Policy;
