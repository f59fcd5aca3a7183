import type { Caller } from '../../src/api/index.ts';
import type { ProcedureInput } from '../../src/api/index.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';

/** Whole decisions with their traces, newest first. `decisions.page` returns them a page at a time. */
export const wholeDecisions = async (
  call: Caller,
  filter: Omit<ProcedureInput<'decisions.page'>, 'after'> = {},
): Promise<DecisionRecord[]> => {
  const all: DecisionRecord[] = [];
  for (let [after, more] = [0, true]; more;) {
    const page = await call('decisions.page', { ...filter, after });
    all.push(...page.decisions);
    ({ upTo: after, more } = page);
  }
  return all.reverse();
};
