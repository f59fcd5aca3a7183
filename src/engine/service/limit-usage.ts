import type { ProcedureOutput } from '../../api/index.ts';
import { windowAt } from '../../core/ledger/windows.ts';
import { type LimitRule, limitAccount, limitUnits, thresholdUnits } from '../../core/rules/spending-limit/index.ts';
import type { Store } from '../store/store.ts';

type LimitUsage = ProcedureOutput<'rules.usage'>[number];

/** Number of listed users, which are those closest to the limit. */
const NEAREST = 10;

type CountedLimit = LimitRule & { readonly paymasterId: string };

/**
 * How much of each limit is used in the window at `now` (epoch ms), counted in the same way as in decisions.
 */
export const usageOf = async (
  store: Pick<Store, 'heldOf' | 'windowUsers'>,
  rules: readonly CountedLimit[],
  now: number,
): Promise<LimitUsage[]> => {
  const limits = rules.map((rule) => {
    const { ruleId, name, active, paymasterId, policyData: limit } = rule;
    const { index, endsAt } = windowAt(limit, now);
    const [unit, threshold] = [limitUnits[limit.thresholdType], thresholdUnits(limit)];
    const head = { ruleId, name, active, unit, threshold: String(threshold), windowEndsAt: endsAt };
    return { head, threshold, account: limitAccount(rule, paymasterId, index), isOfAll: limit.type === 'PAYMASTER' };
  });
  const [ofAll, perUser] = [limits.filter(({ isOfAll }) => isOfAll), limits.filter(({ isOfAll }) => !isOfAll)];
  const [held, users] = await Promise.all([
    store.heldOf(ofAll),
    store.windowUsers(perUser.map(({ account: { place }, threshold }) => ({ place, threshold, most: NEAREST }))),
  ]);
  return limits.map((limit) => {
    const { head } = limit;
    if (limit.isOfAll) return { ...head, used: String(held[ofAll.indexOf(limit)] ?? 0n), perUser: null };
    const { nearest = [], ...counts } = users[perUser.indexOf(limit)] ?? { users: 0, atLimit: 0 };
    const named = nearest.map(({ user, used }) => ({ user, used: String(used) }));
    return { ...head, used: named[0]?.used ?? '0', perUser: { ...counts, nearest: named } };
  });
};
