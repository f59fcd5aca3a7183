import type { FinalVerdict } from '../decision/decide-verified.ts';
import type { MeasuredStep } from '../decision/decide.ts';
import type { Facts } from '../facts/facts.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { fromRpcUserOperation } from '../user-operation/rpc-user-operation.ts';
import { type Reservation, accountText } from '../ledger/account.ts';
import type { Policy } from '../policy/policy.ts';
import { webhookTargets } from '../rules/webhook.ts';
import { type Situation, attempt, cheapest } from './attack-operation.ts';
import { type Bounds, type HeldNow, type Period, type Rung, type Stop, boundsOf, periods, stopOf } from './bounds.ts';
import { type Attack, playAttack } from './play.ts';
import { type Suggestion, suggestionsFor } from './suggestions.ts';

/** The same operation sent by a number of new accounts. Amounts are decimal digits of wei. */
export interface VolleyView {
  /** Time since the start of the attack, ms. */
  readonly afterMs: number;
  readonly count: string;
  /** Cost of each operation. */
  readonly costWei: string;
  readonly op: Facts['op'];
}

export interface VerdictView {
  readonly outcome: 'sponsored' | 'denied';
  /** Why the operation is denied; null if it is sponsored. */
  readonly code: string | null;
  readonly message: string;
  readonly trace: readonly MeasuredStep[];
}

export interface Bound {
  readonly period: Period;
  /** Null if nothing stops the attacker. */
  readonly amountWei: string | null;
  readonly stoppedBy: Stop | null;
  /** The amount that each rule would allow if it were the only one, lowest amount first. */
  readonly ladder: readonly (Stop & { readonly amountWei: string })[];
  /** An attack that reaches this amount. Its operations were decided one after the other. */
  readonly attack: {
    /** Epoch ms. The start time at which the policy allows the largest amount. */
    readonly startsAt: number;
    readonly amountWei: string;
    readonly volleys: readonly VolleyView[];
    /** The verdict on the attack's last operation; null if no operation is sponsored. */
    readonly last: VerdictView | null;
    /** The verdict on one more operation; null if nothing stops the attack. */
    readonly next: VerdictView | null;
  };
}

/** The maximum amount that someone with the API key can make the operator pay. */
export interface WorstCase {
  /** What one operation can cost at most, in wei; null if no operation is sponsored. */
  readonly operationWei: string | null;
  readonly bounds: readonly Bound[];
  /** Rules that apply to each account separately. They do not stop an attacker, because new accounts are free. */
  readonly perAccount: readonly Stop[];
  /** Limits that count each person, with what a person may have. */
  readonly perPerson: Bounds['perPerson'];
  /**
   * True if the policy also calls webhooks. The computation assumes that they allow every operation, because their
   * answers are unknown.
   */
  readonly asksWebhooks: boolean;
  readonly suggestions: readonly (Omit<Suggestion, 'amountsWei'> & {
    readonly amountsWei: Readonly<Record<Period, string | null>>;
  })[];
}

const text = (wei: bigint | null): string | null => (wei === null ? null : String(wei));

const verdictView = (verdict: FinalVerdict): VerdictView => {
  const { reason, steps } = verdict;
  const outcome = reason === undefined ? 'sponsored' : 'denied';
  return { outcome, code: reason?.code ?? null, message: reason?.message ?? '', trace: steps };
};

const attackView = ({ volleys, amountWei, last, end }: Attack, at: number): Bound['attack'] => {
  const startsAt = volleys[0]?.at ?? at;
  return {
    startsAt,
    amountWei: String(amountWei),
    volleys: volleys.map(({ at: when, count, operation: { op, costWei } }) => ({
      afterMs: when - startsAt,
      count: String(count),
      costWei: String(costWei),
      op,
    })),
    last: last === undefined ? null : verdictView(last),
    next: end === undefined ? null : verdictView(end),
  };
};

const noAttack = (policy: Policy, situation: Situation): Attack => {
  const end = attempt(policy, situation, cheapest(policy, situation).op).decide();
  return { volleys: [], amountWei: 0n, last: undefined, end };
};

const withoutPause = (policy: Policy): Policy => ({ ...policy, pause: null });

/** A pause denies everything. The other rules show what limits an attacker after the pause. */
const pauseRung = (policy: Policy, situation: Situation): Rung[] => {
  if (policy.pause === null) return [];
  const stop = stopOf(attempt(policy, situation, cheapest(policy, situation).op).decide());
  return stop === undefined ? [] : [{ rule: stop.rule, name: stop.name, code: stop.code, amountWei: 0n }];
};

/** An operation of the attacker, for querying the chain what it charges for the operation's data. */
export const attackerOperation = (policy: Policy, gasSchedule: Facts['gasSchedule']): UserOperation => ({
  ...fromRpcUserOperation(cheapest(policy, { chain: null, gasSchedule }).op),
  preVerificationGas: 10n ** 12n,
});

/**
 * The reservations that an operation of the attacker would make now. {@link worstCase} needs the current amounts in
 * these ledger accounts.
 */
export const attackReservations = (policy: Policy, situation: Situation): readonly Reservation[] =>
  attempt(policy, situation, cheapest(policy, situation).op).reservations;

const stopView = ({ rule, name, code }: Stop): Stop => ({ rule, name, code });

const uniqueStops = (stops: readonly Stop[]): Stop[] => [
  ...new Map(stops.map((stop) => [JSON.stringify(stopView(stop)), stopView(stop)])).values(),
];

const boundView = (period: Period, ladder: readonly Rung[], attack: Attack, at: number): Bound => {
  const [first] = ladder;
  return {
    period,
    amountWei: text(first?.amountWei ?? null),
    stoppedBy: first === undefined ? null : stopView(first),
    ladder: ladder.map((rung) => ({ ...stopView(rung), amountWei: String(rung.amountWei) })),
    attack: attackView(attack, at),
  };
};

/**
 * The maximum amount that someone with the API key and any number of accounts can make the operator pay under a policy:
 * at once, within any hour and within any day. Each amount is found by deciding operations: new accounts keep sending
 * the most expensive sponsored operation until a rule denies. Takes some tenths of a second, and yields often.
 * @param held the current amounts in the accounts of {@link attackReservations}, in the same order
 */
export function* worstCase(
  policy: Policy,
  situation: Situation,
  held: readonly bigint[],
): Generator<undefined, WorstCase> {
  const accounts = attackReservations(policy, situation);
  const byAccount = new Map(accounts.map(({ account }, index) => [accountText(account), held[index] ?? 0n]));
  const heldNow: HeldNow = ({ account }) => byAccount.get(accountText(account)) ?? 0n;
  const resumed = withoutPause(policy);
  const found = boundsOf(resumed, situation, heldNow);
  const { operation } = found;
  const paused = pauseRung(policy, situation);
  const bounds: Bound[] = [];
  for (const period of periods) {
    const ladder = found.ladders[period];
    const attack =
      operation === undefined || paused.length > 0
        ? noAttack(policy, situation)
        : yield* playAttack(resumed, situation, { period, operation, heldNow, bound: ladder[0] });
    bounds.push(boundView(period, [...paused, ...ladder], attack, situation.at));
  }
  const suggestions = yield* suggestionsFor(resumed, situation, found, heldNow);
  return {
    operationWei: operation === undefined ? null : String(operation.costWei),
    bounds,
    perAccount: uniqueStops(found.perAccount),
    perPerson: found.perPerson,
    asksWebhooks: webhookTargets(policy).some(({ active }) => active),
    suggestions: suggestions.map(({ amountsWei: { atOnce, hour, day }, ...suggestion }) => ({
      ...suggestion,
      amountsWei: { atOnce: text(atOnce), hour: text(hour), day: text(day) },
    })),
  };
}
