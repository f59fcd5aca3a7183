import type { Explanation } from '../../shared/denials.ts';
import type { Facts } from '../facts/facts.ts';
import type { Reservation } from '../ledger/account.ts';
import type { Policy } from '../policy/policy.ts';
import { ruleInput } from './rule-input.ts';
import { explainDenial } from './rule-words.ts';
import { ruleKinds } from '../rules/registry.ts';
import type { CheckResult, Effects, RuleInput, RuleKind, Step, StepParts } from '../rules/rule.ts';
import { type WebhookTarget, uncalledWebhooks, webhook } from '../rules/webhook.ts';

/** Why an operation is not sponsored, as responses and records give it. */
export interface Reason extends Explanation {
  readonly code: string;
  readonly rule: string;
}

/** A step, and the time it took in µs. */
export type MeasuredStep = Step & { readonly micros: number };

export type Verdict =
  | {
      readonly next: 'callWebhooks';
      readonly targets: readonly WebhookTarget[];
      /** The steps of the rules before the webhooks, none of which denies. */
      readonly steps: readonly MeasuredStep[];
    }
  | {
      readonly next: 'done';
      readonly steps: readonly MeasuredStep[];
      /** Undefined: no rule denies, and the operation is to be signed. */
      readonly reason: Reason | undefined;
      readonly effects: Effects;
      /** What the operation reserves in the ledger if it is signed. Empty if a shadow rule would deny it. */
      readonly taken: readonly Reservation[];
    };

const draftKinds = ruleKinds.filter(({ bindsDrafts = true }) => bindsDrafts);

/** An operation under a policy, before the amounts in its ledger accounts are known. */
export interface Plan {
  readonly input: RuleInput;
  /** The kinds of rules that apply, and how many of the reservations are theirs. */
  readonly kinds: readonly (readonly [kind: RuleKind, reservations: number])[];
  /** What the operation reserves in the ledger if it is signed. */
  readonly reservations: readonly Reservation[];
}

/** Plans an operation, to be decided with {@link decidePlanned}. */
export const planInput = (input: RuleInput): Plan => {
  const reservations: Reservation[] = [];
  const kinds = (input.facts.stage === 'final' ? ruleKinds : draftKinds).map((kind) => {
    const own = kind.reserve?.(input) ?? [];
    reservations.push(...own);
    return [kind, own.length] as const;
  });
  return { input, kinds, reservations };
};

/** Plans an operation under a policy. */
export const planOperation = (facts: Facts, policy: Policy): Plan => planInput(ruleInput(facts, policy));

/**
 * What the operation reserves in the ledger if it is signed, in the order of the amounts that {@link decide} receives.
 */
export const plan = (facts: Facts, policy: Policy): readonly Reservation[] => planOperation(facts, policy).reservations;

export const denialIn = (steps: readonly Step[]): (Step & { readonly outcome: 'deny' }) | undefined =>
  steps.find((step) => step.outcome === 'deny');

/** The first denial, in the order of the steps; undefined if no step denies. */
export const reasonOf = (steps: readonly Step[]): Reason | undefined => {
  const step = denialIn(steps);
  if (step === undefined) return undefined;
  return { code: step.code, rule: step.rule, ...explainDenial(step.code, step.evidence) };
};

/** Whether a rule denies an operation for its sender, calls or deployment, and so with any gas. */
export const isDeniedForCalls = (input: RuleInput): boolean =>
  ruleKinds.some((kind) => kind.isOfCalls === true && kind.check(input, []).some(({ outcome }) => outcome === 'deny'));

const effectsOf = (input: RuleInput, reason: Reason | undefined): Effects =>
  (reason && ruleKinds.find(({ type }) => type === reason.rule)?.effects?.(input, reason.code)) ?? {};

const idleSteps = ({ type, setup }: RuleKind, { idle }: RuleInput): MeasuredStep[] =>
  idle
    .filter(({ rule }) => rule.policyType === setup?.policyType)
    .map(({ result }) => ({ ...result, rule: type, micros: 0 }));

/** An operation that a shadow rule would have denied does not count for that rule, as if the rule were enforced. */
const takenOf = (reservations: readonly Reservation[], steps: readonly Step[]): readonly Reservation[] => {
  if (!reservations.some(({ shadow }) => shadow !== undefined)) return reservations;
  const denying = new Set(steps.flatMap(({ outcome, shadow }) => (outcome === 'wouldDeny' ? [shadow] : [])));
  return reservations.map((one) =>
    one.shadow !== undefined && denying.has(one.shadow) ? { ...one, amount: 0n } : one,
  );
};

/** Runs for every rule of every decision, and a spread takes four times as long. */
const measuredStep = (result: CheckResult & StepParts, rule: string, micros: number): MeasuredStep => {
  const { outcome, code, evidence } = result;
  const isPlain = result.shadow === undefined && result.call === undefined && result.micros === undefined;
  return isPlain ? { micros, rule, outcome, code, evidence } : { micros, rule, ...result };
};

const NOTHING_HELD: readonly bigint[] = [];

/**
 * Decides whether to sponsor an operation, in the order of behaviour 5.2: every kind of rule adds its steps, and the
 * first denial is the reason. Webhooks are called only if no rule before them denies.
 * @param planned what {@link planInput} returned
 * @param held the amounts in the accounts of the reservations without this operation, in the same order
 * @param microseconds a clock for the steps; their durations are not part of the verdict
 */
export const decidePlanned = (planned: Plan, held: readonly bigint[], microseconds = (): number => 0): Verdict => {
  const { input, kinds, reservations } = planned;
  const steps: MeasuredStep[] = [];
  let next = 0;
  let last = microseconds();
  for (const [kind, reserved] of kinds) {
    if (kind === webhook && denialIn(steps) === undefined) {
      const targets = uncalledWebhooks(input.facts, input.policy);
      if (targets.length > 0) return { next: 'callWebhooks', targets, steps };
    }
    const results = kind.check(input, reserved === 0 ? NOTHING_HELD : held.slice(next, next + reserved));
    const now = microseconds();
    const micros = Math.round(now - last);
    last = now;
    for (const result of results) steps.push(measuredStep(result, kind.type, micros));
    if (input.idle.length > 0) steps.push(...idleSteps(kind, input));
    next += reserved;
  }
  const reason = reasonOf(steps);
  return { next: 'done', steps, reason, effects: effectsOf(input, reason), taken: takenOf(reservations, steps) };
};

/** Decides an operation like {@link decidePlanned}. @param held the amounts in the accounts of {@link plan} */
export const decide = (facts: Facts, policy: Policy, held: readonly bigint[], microseconds?: () => number): Verdict =>
  decidePlanned(planOperation(facts, policy), held, microseconds);
