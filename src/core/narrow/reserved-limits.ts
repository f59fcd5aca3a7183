import type { PastDecision } from '../decision/past-decision.ts';

/** The limits in which a recorded operation counts, and what is reserved and spent in their accounts with it. */
export const reservedLimits = ({ reservations }: PastDecision): { ruleId: string; reached: bigint }[] =>
  reservations.flatMap(({ account, amount, held }) => {
    const [kind, ruleId = ''] = account.split(':');
    return kind === 'limit' ? [{ ruleId, reached: held + amount }] : [];
  });
