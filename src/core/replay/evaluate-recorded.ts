import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Policy } from '../policy/policy.ts';
import { readableFacts } from '../decision/record.ts';
import { ruleInput } from '../decision/rule-input.ts';
import { readCondition } from '../conditions/condition.ts';
import type { Reading } from '../conditions/readings.ts';

/** The value of an expression on a recorded operation. */
export interface RecordedAnswer {
  /**
   * `failed`: the expression cannot be evaluated; `notReplayable`: the record lacks the values that conditions read.
   */
  readonly answer: 'true' | 'false' | 'failed' | 'notReplayable';
  /** Why the expression cannot be evaluated; null if it can. */
  readonly failure: string | null;
  readonly readings: readonly Reading[];
}

/**
 * Evaluates a condition on a recorded operation, with the DApp and the contracts of the given policy.
 * @param expression must be valid
 */
export const evaluateRecorded = (expression: string, record: DecisionRecord, policy: Policy): RecordedAnswer => {
  const facts = readableFacts(record);
  if (facts === undefined) return { answer: 'notReplayable', failure: null, readings: [] };
  const values = ruleInput(facts, policy).values();
  const condition = readCondition(expression);
  const said = condition.evaluate(values);
  const readings = condition.readings(values);
  if ('failure' in said) return { answer: 'failed', failure: said.failure, readings };
  return { answer: said.holds ? 'true' : 'false', failure: null, readings };
};
