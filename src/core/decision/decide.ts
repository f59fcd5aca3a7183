import type { Explanation } from '../../shared/denials.ts';
import type { Facts } from '../facts/facts.ts';
import type { Reservation } from '../ledger/account.ts';
import type { Policy } from '../policy/policy.ts';
import { ruleInput } from './rule-input.ts';
import { explainDenial } from './rule-words.ts';
import { ruleKinds } from '../rules/registry.ts';
import type { Effects, RuleInput, RuleKind, Step } from '../rules/rule.ts';
import { type WebhookTarget, uncalledWebhooks, webhook } from '../rules/webhook.ts';

/** Why an operation is not sponsored, as responses and records give it. */
export interface Reason extends Explanation {
  readonly code: string;
  readonly rule: string;
}

/** A step, and the time it took in µs. */
export type MeasuredStep = Step & { readonly micros: number };

export type Verdict =
  | { readonly next: 'callWebhooks'; readonly targets: readonly WebhookTarget[] }
  | {
      readonly next: 'done';
      readonly steps: readonly MeasuredStep[];
      /** Undefined: no rule denies, and the operation is to be signed. */
      readonly reason: Reason | undefined;
      readonly effects: Effects;
      /** What the operation reserves in the ledger if it is signed. Empty if a shadow rule would deny it. */
      readonly taken: readonly Reservation[];
    };

/** The kinds of rules that apply to an operation. */
const kindsFor = ({ facts }: RuleInput): readonly RuleKind[] =>
  facts.stage === 'final' ? ruleKinds : ruleKinds.filter(({ bindsDrafts = true }) => bindsDrafts);

interface Planned {
  readonly kind: RuleKind;
  readonly reservations: readonly Reservation[];
}

const planned = new WeakMap<RuleInput, readonly Planned[]>();

/** What each kind of rule reserves. Computed once for the same input. */
const planOf = (input: RuleInput): readonly Planned[] => {
  const known = planned.get(input);
  if (known !== undefined) return known;
  const made = kindsFor(input).map((kind) => ({ kind, reservations: kind.reserve?.(input) ?? [] }));
  planned.set(input, made);
  return made;
};

/**
 * What the operation reserves in the ledger if it is signed, in the order of the amounts that {@link decide} receives.
 */
export const plan = (facts: Facts, policy: Policy): readonly Reservation[] =>
  planOf(ruleInput(facts, policy)).flatMap(({ reservations }) => reservations);

export const denialIn = (steps: readonly Step[]): (Step & { readonly outcome: 'deny' }) | undefined =>
  steps.find((step) => step.outcome === 'deny');

/** The first denial, in the order of the steps; undefined if no step denies. */
export const reasonOf = (steps: readonly Step[]): Reason | undefined => {
  const step = denialIn(steps);
  if (step === undefined) return undefined;
  return { code: step.code, rule: step.rule, ...explainDenial(step.code, step.evidence) };
};

/** Whether a rule denies an operation for its sender, calls or deployment, and so with any gas. */
export const isDeniedForCalls = (facts: Facts, policy: Policy): boolean => {
  const input = ruleInput(facts, policy);
  return ruleKinds.some(
    (kind) => kind.isOfCalls === true && kind.check(input, []).some(({ outcome }) => outcome === 'deny'),
  );
};

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

/**
 * Decides whether to sponsor an operation, in the order of behaviour 5.2: every kind of rule adds its steps, and the
 * first denial is the reason. Webhooks are called only if no rule before them denies.
 * @param held the amounts in the accounts of {@link plan} without this operation, in the same order
 * @param microseconds a clock for the steps; their durations are not part of the verdict
 */
export const decide = (
  facts: Facts,
  policy: Policy,
  held: readonly bigint[],
  microseconds = (): number => 0,
): Verdict => {
  const input = ruleInput(facts, policy);
  const steps: MeasuredStep[] = [];
  const reservations: Reservation[] = [];
  let next = 0;
  let last = microseconds();
  for (const { kind, reservations: reserved } of planOf(input)) {
    if (kind === webhook && denialIn(steps) === undefined) {
      const targets = uncalledWebhooks(facts, input.policy);
      if (targets.length > 0) return { next: 'callWebhooks', targets };
    }
    const results = kind.check(input, held.slice(next, next + reserved.length));
    const now = microseconds();
    const micros = Math.round(now - last);
    last = now;
    for (const result of results) steps.push({ micros, rule: kind.type, ...result });
    if (input.idle.length > 0) steps.push(...idleSteps(kind, input));
    reservations.push(...reserved);
    next += reserved.length;
  }
  const reason = reasonOf(steps);
  return { next: 'done', steps, reason, effects: effectsOf(input, reason), taken: takenOf(reservations, steps) };
};
