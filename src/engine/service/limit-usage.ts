import type { ProcedureOutput } from '../../api/index.ts';
import { windowAt } from '../../core/ledger/windows.ts';
import { type LimitRule, limitAccount, limitUnits, thresholdUnits } from '../../core/rules/spending-limit/index.ts';
import { reservedOf } from '../sponsorship/tank-account.ts';
import type { Store } from '../store/store.ts';

type LimitUsage = ProcedureOutput<'rules.usage'>[number];

/** Number of listed users, which are those closest to the limit. */
const NEAREST = 10;

/** How much of a limit is used in the window at `now` (epoch ms), counted in the same way as in decisions. */
export const usageOf = async (
  store: Pick<Store, 'heldOf' | 'windowUsers'>,
  rule: LimitRule & { readonly paymasterId: string },
  now: number,
): Promise<LimitUsage> => {
  const limit = rule.policyData;
  const { index, endsAt } = windowAt(limit, now);
  const threshold = thresholdUnits(limit);
  const account = limitAccount(rule, rule.paymasterId, index);
  const head = {
    ruleId: rule.ruleId,
    name: rule.name,
    active: rule.active,
    unit: limitUnits[limit.thresholdType],
    threshold: String(threshold),
    windowEndsAt: endsAt,
  };
  if (limit.type === 'PAYMASTER') {
    const used = await reservedOf(store, account);
    return { ...head, used: String(used), perUser: null };
  }
  const { nearest, ...counts } = await store.windowUsers({ place: account.place, threshold, most: NEAREST });
  const named = nearest.map(({ user, used }) => ({ user, used: String(used) }));
  return { ...head, used: named[0]?.used ?? '0', perUser: { ...counts, nearest: named } };
};
