import type { Evidence, Explanation } from '../../shared/denials.ts';
import { explainDenial } from '../../shared/denials.ts';
import type { TraceStep } from '../../shared/schema/decision.ts';
import type { Clock } from '../clock.ts';
import type { Verdict } from '../rules/rule.ts';

/** Why an operation is not sponsored, as it is answered and stored. */
export interface Reason extends Explanation {
  /** A {@link DenialCode}. */
  readonly code: string;
  readonly rule: string;
}

/** A verdict and how long it took. */
export type Step = Verdict & {
  readonly rule: string;
  readonly micros: number;
  /** The exchange with a webhook. */
  readonly call?: TraceStep['call'];
};

/** Something found out along the way, such as the gas. */
export const noteStep = (rule: string, code: string, evidence: Evidence): Step => ({
  rule,
  outcome: 'pass',
  code,
  evidence,
  micros: 0,
});

/** Runs a rule and measures it. */
export const ruleStep = (clock: Clock, rule: string, check: () => Verdict): Step => {
  const start = clock.monotonic();
  const verdict = check();
  return { rule, ...verdict, micros: Math.round((clock.monotonic() - start) * 1000) };
};

/** The first denial, in the order of the steps; undefined if nothing denies. */
export const reasonOf = (steps: readonly Step[]): Reason | undefined => {
  for (const step of steps) {
    if (step.outcome !== 'deny') continue;
    return { code: step.code, rule: step.rule, ...explainDenial(step.code, step.evidence) };
  }
  return undefined;
};

/** Steps as they are stored. */
export const traceOf = (steps: readonly Step[]): TraceStep[] => steps.map((step) => ({ ...step }));
