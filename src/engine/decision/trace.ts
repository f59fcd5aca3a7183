import type { DenialCode, Evidence, Explanation } from '../../shared/denials.ts';
import { explainDenial } from '../../shared/denials.ts';
import type { TraceStep } from '../../shared/schema/decision.ts';
import type { Clock } from '../clock.ts';
import type { Verdict } from '../rules/rule.ts';

/** Why an operation is not sponsored, as it is answered and stored. */
export interface Reason extends Explanation {
  readonly code: DenialCode;
  readonly rule: string;
}

/** Collects the steps of one decision in the order they are taken. */
export interface Trace {
  readonly steps: readonly TraceStep[];
  /** Runs a rule, measures it and keeps its verdict. */
  run(rule: string, check: () => Verdict): void;
  /** Keeps something found out along the way, such as the gas. */
  note(rule: string, code: string, evidence: Evidence): void;
  /** The first denial, in the order of the steps; undefined if nothing denies. */
  reason(): Reason | undefined;
}

/** A trace without steps. */
export const createTrace = (clock: Clock): Trace => {
  const steps: TraceStep[] = [];
  let first: Reason | undefined;
  return {
    steps,
    run(rule, check) {
      const start = clock.monotonic();
      const verdict = check();
      const micros = Math.round((clock.monotonic() - start) * 1000);
      steps.push({ rule, outcome: verdict.outcome, code: verdict.code, evidence: verdict.evidence, micros });
      if (verdict.outcome !== 'deny' || first !== undefined) return;
      first = { code: verdict.code, rule, ...explainDenial(verdict.code, verdict.evidence) };
    },
    note(rule, code, evidence) {
      steps.push({ rule, outcome: 'pass', code, evidence, micros: 0 });
    },
    reason: () => first,
  };
};
