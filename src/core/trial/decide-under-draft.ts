import type { MeasuredStep, Reason, Verdict } from '../decision/decide.ts';
import { decidePlanned, denialIn, planOperation, reasonOf } from '../decision/decide.ts';
import type { PastDecision } from '../decision/past-decision.ts';
import { wasRead } from '../rules/rule.ts';
import { type Assumptions, factsAssuming } from './assumptions.ts';
import { type DraftAt, draftBeside } from './draft-beside.ts';
import { tooLong } from './judge.ts';
import { type UnknownCause, causeOf } from './unknown-cause.ts';
import { withAnswers } from './with-answers.ts';

/** What a verdict lacks if it depends on a value that was not read or on a webhook that was not called. */
const missingFor = (verdict: Verdict): UnknownCause | undefined => {
  if (verdict.next === 'callWebhooks') return 'webhook';
  const isDenied = denialIn(verdict.steps.filter(wasRead)) !== undefined;
  return isDenied || verdict.reason === undefined ? undefined : causeOf(verdict.reason);
};

/** A decision under a draft, with the contents that its record would have. */
export interface DraftedDecision {
  readonly outcome: 'sponsored' | 'denied';
  readonly steps: readonly MeasuredStep[];
  readonly reason: Reason | undefined;
}

/** The inputs with which a trial decided an operation. */
interface InTrial {
  readonly draftAt: DraftAt;
  /** When the draft's new and changed limits start, epoch ms. */
  readonly from: number;
  readonly held: readonly bigint[];
  readonly assumptions?: Assumptions | undefined;
}

/**
 * Decides an operation of a trial once more, to show each step. Undefined if the verdict depends on a webhook or a
 * token holding that was never read.
 */
export const decideUnderDraft = (
  { facts, policy: recorded }: PastDecision,
  { draftAt, from, held, assumptions = {} }: InTrial,
): DraftedDecision | undefined => {
  if (facts === undefined || recorded === undefined) return undefined;
  const draft = draftBeside(recorded, draftAt(from), from);
  const refusal = tooLong(facts, draft);
  let known = withAnswers(facts, recorded, draft);
  let verdict = decidePlanned(planOperation(known, draft), held);
  for (;;) {
    const assumed = factsAssuming(known, { cause: missingFor(verdict), verdict }, assumptions);
    if (assumed === undefined) break;
    known = assumed.facts;
    verdict = decidePlanned(planOperation(known, draft), held);
  }
  if (verdict.next === 'callWebhooks') return refusal && { outcome: 'denied', steps: [], reason: refusal };
  const reason = refusal ?? reasonOf(verdict.steps.filter(wasRead)) ?? verdict.reason;
  return { outcome: reason === undefined ? 'sponsored' : 'denied', steps: verdict.steps, reason };
};
