import type { DecidingRule } from '../../shared/schema/decision.ts';
import type { DenialCode, Evidence } from '../../shared/denials.ts';

/** What a rule says of an operation. Every verdict leaves the values that were compared. */
export type Verdict =
  | { readonly outcome: 'pass' | 'skip'; readonly code: string; readonly evidence: Evidence }
  | { readonly outcome: 'deny'; readonly code: DenialCode; readonly evidence: Evidence };

/** A rule: configuration and facts in, verdict out. No clock, no database, no network. */
export interface Rule<Config, Facts> {
  /** Name of the rule in the trace and in reasons. */
  readonly type: DecidingRule;
  check(config: Config, facts: Facts): Verdict;
}

/** The operation may go on, as far as this rule is concerned. */
export const pass = (code: string, evidence: Evidence = {}): Verdict => ({ outcome: 'pass', code, evidence });

/** The rule does not apply to this operation. */
export const skip = (code: string, evidence: Evidence = {}): Verdict => ({ outcome: 'skip', code, evidence });

/** The operation is not sponsored. */
export const deny = (code: DenialCode, evidence: Evidence = {}): Verdict => ({ outcome: 'deny', code, evidence });
