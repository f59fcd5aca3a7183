import type { ProcedureOutput } from '../../shared/contract/index.ts';
import { type LimitRule, limitKey } from '../decision/ledger-steps.ts';
import { windowAt } from '../ledger/windows.ts';
import { thresholdUnits } from '../rules/spending-limit.ts';
import type { Rule, Store } from '../store/store.ts';

type LimitUsage = ProcedureOutput<'rules.usage'>[number];

/** How many of those who are nearest to a limit are named. */
const NEAREST = 10;

/** True for a spending limit. */
export const isLimit = (rule: Rule): rule is LimitRule => rule.policyType === 'PAYMASTER_SA_LIMIT';

/** How much of a limit is used in the window that `now` (epoch ms) lies in, exactly as deciding counts it. */
export const usageOf = async (
  store: Pick<Store, 'heldOf' | 'windowUsers'>,
  rule: LimitRule,
  now: number,
): Promise<LimitUsage> => {
  const limit = rule.policyData;
  const { index, endsAt } = windowAt(limit, now);
  const threshold = thresholdUnits(limit);
  const key = limitKey(rule, index);
  const head = {
    ruleId: rule.ruleId,
    name: rule.name,
    active: rule.active,
    unit: limit.thresholdType === 'COUNT' ? ('operations' as const) : ('wei' as const),
    threshold: String(threshold),
    windowEndsAt: endsAt,
  };
  if (limit.type === 'PAYMASTER') {
    const [used = 0n] = await store.heldOf([{ key, kind: 'count', amount: 0n }]);
    return { ...head, used: String(used), perUser: null };
  }
  const { nearest, ...counts } = await store.windowUsers({ prefix: key, threshold, most: NEAREST });
  const named = nearest.map(({ user, used }) => ({ user, used: String(used) }));
  return { ...head, used: named[0]?.used ?? '0', perUser: { ...counts, nearest: named } };
};
