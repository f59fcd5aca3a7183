import type { Evidence } from '../../shared/denials.ts';
import { chainSymbol } from '../../shared/chains.ts';
import { addressKey } from '../../shared/schema/hex.ts';
import type { FinalVerdict } from '../decision/decide-verified.ts';
import type { Reservation } from '../ledger/account.ts';
import { windowsWithin } from '../ledger/windows.ts';
import type { Policy } from '../policy/policy.ts';
import { breakerOf, forgottenAt, partEndsAt } from '../rules/burn-rate/index.ts';
import { limitAllowance, limitSetup } from '../rules/spending-limit/index.ts';
import { rulesOf } from '../rules/rule.ts';
import {
  ATTACKER,
  ATTACKERS_PERSON,
  type AttackOperation,
  type Situation,
  attempt,
  cheapest,
  costliest,
  isSponsored,
} from './attack-operation.ts';
import { largest } from './largest.ts';

/** Periods for which the cost is computed: at once (without waiting), any 60 minutes, any 24 hours. */
export const periods = ['atOnce', 'hour', 'day'] as const;

export type Period = (typeof periods)[number];

export type PerPeriod<T> = Readonly<Record<Period, T>>;

/** Length of each period in ms. */
export const PERIOD_MS: PerPeriod<number> = { atOnce: 1, hour: 3_600_000, day: 86_400_000 };

export type HeldNow = (reservation: Reservation) => bigint;

/** A rule that stops an attacker. */
export interface Stop {
  readonly rule: string;
  /** The name that the operator gave it; null if it has none. */
  readonly name: string | null;
  readonly code: string;
}

/** What an attacker could spend if this rule were the only one. */
export interface Rung extends Stop {
  /** In wei. */
  readonly amountWei: bigint;
}

export interface Bounds {
  /** The most expensive sponsored operation; undefined if no operation is sponsored. */
  readonly operation: AttackOperation | undefined;
  /** The rules that stop the attacker, lowest amount first. */
  readonly ladders: PerPeriod<readonly Rung[]>;
  /** Rules that apply but do not stop an attacker who uses a new account for each operation. */
  readonly perAccount: readonly Stop[];
  /** Limits that count each person, with what a person may have, such as `3 operations per day`. */
  readonly perPerson: readonly (Stop & { readonly allows: string })[];
}

/** The rule that denied, with the values that it compared; undefined if no rule did. */
export const stopOf = ({ steps }: FinalVerdict): (Stop & { readonly evidence: Evidence }) | undefined => {
  const step = steps.find(({ outcome }) => outcome === 'deny');
  if (step === undefined) return undefined;
  const { rule, code, evidence } = step;
  return { rule, code, evidence, name: typeof evidence.name === 'string' ? evidence.name : null };
};

/** Whether the reservation counts for a person. */
export const isOfPerson = ({ account: { user } }: Reservation): boolean => user === ATTACKERS_PERSON;

/**
 * Whether each user has a separate ledger account for the reservation, so that each new account or person of the
 * attacker starts at zero.
 */
export const isFresh = (reservation: Reservation, { people }: Situation): boolean =>
  reservation.account.user === addressKey(ATTACKER) || (people === undefined && isOfPerson(reservation));

/** The number of times that the full threshold of a breaker can be signed for within a period. */
const timesWithin = (periodMs: number, seconds: number): number => {
  const start = partEndsAt(seconds, 0);
  let times = 1;
  for (let at = forgottenAt(seconds, start); at - start < periodMs; at = forgottenAt(seconds, at)) times += 1;
  return times;
};

/** The limit that the ledger account belongs to; undefined if it belongs to none. */
const limitOf = ({ rules }: Policy, { account: { kind, id } }: Reservation) =>
  kind === 'limit' ? rulesOf(limitSetup, rules).find(({ ruleId, cycle }) => id === `${ruleId}:${cycle}`) : undefined;

/** Whether the current amount never expires, because it counts towards a lifetime limit. */
export const isForGood = (policy: Policy, reservation: Reservation): boolean => {
  const limit = limitOf(policy, reservation);
  return limit !== undefined && limit.policyData.durationInMs === undefined;
};

/**
 * How often the capacity of a ledger account can be used within a period; undefined if an attacker only has to wait a
 * little to use it again.
 */
const timesOf = (
  policy: Policy,
  situation: Situation,
  reservation: Reservation,
  period: Period,
): number | undefined => {
  const { account } = reservation;
  if (period === 'atOnce' || account.kind === 'tank') return 1;
  const periodMs = PERIOD_MS[period];
  if (account.kind === 'limit') {
    const limit = limitOf(policy, reservation);
    return limit && windowsWithin(periodMs, limit.policyData.durationInMs);
  }
  const seconds = breakerOf(policy, situation)?.seconds;
  const isBreaker = account.kind === 'breaker' || account.kind === 'dappBreaker';
  // The other accounts are shares of the tank, which are free again as soon as an operation is mined.
  return isBreaker && seconds !== undefined ? timesWithin(periodMs, seconds) : undefined;
};

interface Room extends Stop {
  readonly reservation: Reservation;
  /** In the ledger account's unit. */
  readonly capacity: bigint;
}

/** The capacity of each ledger account while all other accounts are empty. */
const roomsOf = (policy: Policy, situation: Situation, { op }: AttackOperation): Room[] => {
  const { reservations, decide } = attempt(policy, situation, op);
  return reservations.flatMap((reservation, index) => {
    const holding = (held: bigint) => reservations.map((_, at) => (at === index ? held : 0n));
    const most = largest(0n, (held) => isSponsored(decide(holding(held))));
    if (most === undefined) return [];
    const stop = stopOf(decide(holding(most + 1n)));
    if (stop === undefined) return [];
    const { rule, code, name } = stop;
    return [{ rule, code, name, reservation, capacity: most + reservation.amount }];
  });
};

const byAmount = (one: Rung, other: Rung): number => {
  if (one.amountWei === other.amountWei) return 0;
  return one.amountWei < other.amountWei ? -1 : 1;
};

const ladderOf = (
  { policy, situation }: { readonly policy: Policy; readonly situation: Situation },
  rooms: readonly Room[],
  operation: AttackOperation,
  { period, heldNow }: { readonly period: Period; readonly heldNow: HeldNow },
): Rung[] =>
  rooms
    .flatMap(({ reservation, capacity, ...stop }): Rung[] => {
      const times = timesOf(policy, situation, reservation, period);
      if (times === undefined) return [];
      const used = period === 'atOnce' || isForGood(policy, reservation) ? heldNow(reservation) : 0n;
      const free = capacity > used ? capacity - used : 0n;
      const people = isOfPerson(reservation) ? BigInt(situation.people ?? 1) : 1n;
      // If the account counts operations, each counts at its full cost. Other accounts count wei.
      const amountWei = (people * free * BigInt(times) * operation.costWei) / reservation.amount;
      return [{ ...stop, amountWei }];
    })
    .sort(byAmount);

const stopsAtOnce = (stop: Stop): Bounds['ladders'] => {
  const ladder = [{ ...stop, amountWei: 0n }];
  return { atOnce: ladder, hour: ladder, day: ladder };
};

/**
 * The maximum amount that an attacker can spend under each rule: what the rule allows if it is the only rule, times how
 * often it allows this within the period. Each amount is found by deciding operations. The attacker may choose when an
 * hour or a day starts, so the period may overlap one more window of a limit than fit into it. Amounts that now count
 * towards limits have expired by then, except those of lifetime limits.
 */
export const boundsOf = (policy: Policy, situation: Situation, heldNow: HeldNow): Bounds => {
  const operation = costliest(policy, situation);
  if (operation === undefined) {
    const denied = stopOf(attempt(policy, situation, cheapest(policy, situation).op).decide());
    if (denied === undefined) throw new Error('An operation is sponsored and is not');
    const { rule, code, name } = denied;
    return { operation, ladders: stopsAtOnce({ rule, code, name }), perAccount: [], perPerson: [] };
  }
  const rooms = roomsOf(policy, situation, operation);
  const coin = chainSymbol(policy.dapp.chainId, policy.chain);
  const shared = rooms.filter(({ reservation }) => !isFresh(reservation, situation));
  const ladder = (period: Period): Rung[] => ladderOf({ policy, situation }, shared, operation, { period, heldNow });
  return {
    operation,
    ladders: { atOnce: ladder('atOnce'), hour: ladder('hour'), day: ladder('day') },
    perAccount: rooms
      .filter(({ reservation }) => isFresh(reservation, situation) && !isOfPerson(reservation))
      .map(({ rule, code, name }) => ({ rule, code, name })),
    perPerson: rooms
      .filter(({ reservation }) => isOfPerson(reservation))
      .map(({ rule, code, name, reservation }) => {
        const limit = limitOf(policy, reservation);
        return { rule, code, name, allows: limit === undefined ? '' : limitAllowance(limit.policyData, coin) };
      }),
  };
};
