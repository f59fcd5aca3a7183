import type { Trials } from '../policy-trial/trials.ts';
import type { PastDecision } from '../../core/decision/past-decision.ts';
import type { PastQuery } from '../store/past-decisions.ts';
import { turn } from '../store/rows.ts';

/** Reads past decisions in order, and pauses often, so that decisions can be made in between. */
export const eachPastDecision = async (
  trials: Pick<Trials, 'pastDecisions'>,
  query: PastQuery,
  use: (decision: PastDecision) => void,
): Promise<void> => {
  const past = await trials.pastDecisions(query);
  try {
    for (let batch = await past.next(); batch.length > 0; batch = await past.next()) {
      for (const decision of batch) use(decision);
      await turn();
    }
  } finally {
    await past.close();
  }
};
