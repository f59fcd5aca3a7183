import type { z } from 'zod';
import type { allowance } from '../../api/sponsorship.ts';
import { isInTime } from '../../core/decision/divide-rules.ts';
import { subjectOf } from '../../core/rules/identity/index.ts';
import { ruleKinds } from '../../core/rules/registry.ts';
import type { Address } from '../../shared/schema/hex.ts';
import { readSubjects } from '../identity/read-subjects.ts';
import type { Dapp } from '../store/registry-store.ts';
import { currentPolicy } from './current-policy.ts';
import type { DecisionContext } from './decision-context.ts';

/**
 * How much of each limit that is enforced now is left for a user. A limit with a condition counts, although it may not
 * apply to the user's next operation. A limit per person counts if an IDENTITY rule verifies the person.
 *
 * @throws EngineError `PAYMASTER_NOT_READY`, `VAULT_LOCKED`
 */
export const allowancesOf = async (
  context: Pick<DecisionContext, 'store' | 'config' | 'clock'> & Parameters<typeof readSubjects>[0],
  dapp: Dapp,
  sent: Parameters<typeof readSubjects>[1] & { readonly sender: Address },
): Promise<z.output<typeof allowance>[]> => {
  const at = context.clock.now();
  const { policy } = await currentPolicy(context, dapp);
  const subjects = await readSubjects(context, sent, policy, at);
  const subject = subjectOf(policy.rules, { subjects, at });
  const rules = policy.rules.filter((rule) => isInTime(rule, at) && rule.enforcement !== 'shadow');
  const found = ruleKinds.flatMap(
    (kind) => kind.allowances?.({ rules, dapp: policy.dapp }, { at, sender: sent.sender, subject }) ?? [],
  );
  const held = await context.store.heldOf(found);
  return found.map(({ rule, unit, limit, resetsAt }, index) => {
    const used = held[index] ?? 0n;
    const remaining = used < limit ? limit - used : 0n;
    return { rule: rule.name, unit, limit: String(limit), used: String(used), remaining: String(remaining), resetsAt };
  });
};
