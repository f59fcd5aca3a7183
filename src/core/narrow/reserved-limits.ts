import type { DecisionRecord } from '../../shared/schema/decision.ts';

/** The limits in which a recorded operation counts, and what is reserved and spent in their accounts with it. */
export const reservedLimits = ({ reservations = [] }: DecisionRecord): { ruleId: string; reached: bigint }[] =>
  reservations.flatMap(({ account, amount, held }) => {
    const [kind, ruleId = ''] = account.split(':');
    return kind === 'limit' ? [{ ruleId, reached: BigInt(held) + BigInt(amount) }] : [];
  });
