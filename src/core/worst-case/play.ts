import type { FinalVerdict } from '../decision/decide-verified.ts';
import type { Reservation } from '../ledger/account.ts';
import { Ledger } from '../ledger/ledger.ts';
import { windowAt } from '../ledger/windows.ts';
import type { Policy } from '../policy/policy.ts';
import { breakerOf, forgottenAt, partEndsAt } from '../rules/burn-rate/index.ts';
import { activeRulesOf } from '../rules/rule.ts';
import { limitSetup } from '../rules/spending-limit/index.ts';
import {
  type AttackOperation,
  type Situation,
  attackOperation,
  attempt,
  cheapest,
  isSponsored,
  withMostGas,
} from './attack-operation.ts';
import {
  type HeldNow,
  PERIOD_MS,
  type Period,
  type Rung,
  type Stop,
  isForGood,
  isFresh,
  isOfPerson,
} from './bounds.ts';
import { largest } from './largest.ts';

/** The same operation, sent by `count` new accounts, one after the other. */
export interface Volley {
  /** Time of the operations, epoch ms. */
  readonly at: number;
  readonly count: bigint;
  readonly operation: AttackOperation;
}

/** An attack whose operations were decided one by one. */
export interface Attack {
  readonly volleys: readonly Volley[];
  /** Total cost of its operations, in wei. */
  readonly amountWei: bigint;
  /**
   * The verdict on the last sponsored operation, given the ledger after the operations before it; undefined if none is
   * sponsored.
   */
  readonly last: FinalVerdict | undefined;
  /** The denial that ends the attack; undefined if nothing ends it. */
  readonly end: FinalVerdict | undefined;
}

/** More rounds would repeat the earlier ones. */
const MAX_ROUNDS = 200;

/** The ledger of the attacker's operations, and the balance of the tank that pays for them. */
class Books {
  readonly #policy: Policy;
  readonly #situation: Situation;
  readonly #isMined: boolean;
  readonly #ledger = new Ledger();
  #paidWei = 0n;

  /**
   * Starts with an empty ledger.
   * @param isMined true if each operation is mined at its full cost before the next one is requested
   */
  constructor(policy: Policy, situation: Situation, isMined: boolean) {
    this.#policy = policy;
    this.#situation = situation;
    this.#isMined = isMined;
  }

  /** The situation at a given time. @param at epoch ms */
  at(at: number): Situation {
    const { chain } = this.#situation;
    const left = chain && {
      ...chain,
      balanceWei: String(BigInt(chain.balanceWei) - this.#paidWei),
      ...(chain.depositsWei !== undefined && { depositsWei: String(BigInt(chain.depositsWei) - this.#paidWei) }),
    };
    return { ...this.#situation, at, chain: left };
  }

  /**
   * Adds the amounts that the operation's ledger accounts have before the attack. If operations are mined first, only
   * the amounts of lifetime limits still count.
   */
  begin(reservations: readonly Reservation[], heldNow: HeldNow): void {
    for (const reservation of reservations) {
      const holds = !this.#isMined || isForGood(this.#policy, reservation);
      if (holds) this.#ledger.addTo(reservation, heldNow(reservation));
    }
  }

  /**
   * The amount that an operation leaves in a ledger account that the next operation, sent by a new account, also uses.
   */
  #left(reservation: Reservation): bigint {
    const isOver = this.#isMined && reservation.account.kind === 'dapp';
    return isFresh(reservation, this.#situation) || isOver ? 0n : reservation.amount;
  }

  /** How many people share an account of one person: each sends one operation before anyone sends the next. */
  #sharedBy(reservation: Reservation): bigint {
    return isOfPerson(reservation) ? BigInt(this.#situation.people ?? 1) : 1n;
  }

  /** Returns a function that decides the operation after `behind` others like it. */
  decider({ op }: Pick<AttackOperation, 'op'>, at: number): (behind: bigint) => FinalVerdict {
    const { reservations, decide } = attempt(this.#policy, this.at(at), op);
    const held = reservations.map((reservation) => this.#ledger.heldBy(reservation));
    return (behind) =>
      decide(
        reservations.map((reservation, index) => {
          const people = this.#sharedBy(reservation);
          return (held[index] ?? 0n) / people + (behind / people) * this.#left(reservation);
        }),
      );
  }

  /** Records `count` signed operations. If they are mined, the tank pays for them. */
  take({ at, count, operation }: Volley): void {
    const { reservations } = attempt(this.#policy, this.at(at), operation.op);
    for (const reservation of reservations) {
      const isPaid = this.#isMined && reservation.account.kind === 'tank';
      if (isPaid) continue;
      const people = this.#sharedBy(reservation);
      // Those who have sent nothing in the last turn count as if they had.
      const turns = (count + people - 1n) / people;
      this.#ledger.addTo(reservation, turns * people * this.#left(reservation));
    }
    if (this.#isMined) this.#paidWei += count * operation.costWei;
  }
}

interface Round {
  readonly volleys: readonly Volley[];
  readonly last: FinalVerdict | undefined;
  readonly end: FinalVerdict | undefined;
}

interface Tactics {
  /** Epoch ms. */
  readonly start: number;
  /**
   * True if smaller operations use the remaining amount when the most expensive operation no longer fits. This may use
   * up a limit on the number of operations.
   */
  readonly takesRest: boolean;
}

/**
 * Spends everything that is available at one moment: repeats the most expensive operation until it is denied, then
 * spends the remainder on smaller operations.
 */
const playRound = (
  policy: Policy,
  books: Books,
  { at, costliest, takesRest }: { at: number; costliest: AttackOperation; takesRest: boolean },
): Round => {
  const volleys: Volley[] = [];
  let last: FinalVerdict | undefined;
  let operation: AttackOperation | undefined = costliest;
  while (operation !== undefined) {
    const decide = books.decider(operation, at);
    if (isSponsored(decide(0n))) {
      const count = largest(1n, (number) => isSponsored(decide(number - 1n)));
      if (count === undefined) return { volleys: [{ at, count: 1n, operation }], last: decide(0n), end: undefined };
      last = decide(count - 1n);
      const volley = { at, count, operation };
      volleys.push(volley);
      books.take(volley);
    }
    operation = takesRest ? forWhatIsLeft(policy, books, at, costliest) : undefined;
  }
  // What denies even the cheapest operation: the rest of a tank may be less than the costliest.
  const next = takesRest ? cheapest(policy, books.at(at)) : costliest;
  return { volleys, last, end: books.decider(next, at)(0n) };
};

/** Precision of the operation that uses the remainder, in gas. */
const LEFT_UNIT = 10_000n;

/** The operation that uses the remainder: at the attacker's price or, if that is too expensive, at the lowest price. */
const forWhatIsLeft = (
  policy: Policy,
  books: Books,
  at: number,
  { price }: AttackOperation,
): AttackOperation | undefined => {
  const situation = books.at(at);
  const passes = (one: AttackOperation): boolean => isSponsored(books.decider(one, at)(0n));
  const prices = [price, cheapest(policy, situation).price];
  const possible = prices.find((one) => passes(attackOperation(policy, situation, { callGasLimit: 1n, price: one })));
  return possible === undefined ? undefined : withMostGas(policy, situation, possible, passes, LEFT_UNIT);
};

/** When a denial may end, if it ends after some time. Epoch ms. */
const overAt = (
  policy: Policy,
  situation: Situation,
  end: FinalVerdict,
  { volleys, now }: { readonly volleys: readonly Volley[]; readonly now: number },
): number => {
  const times = end.steps
    .filter(({ outcome }) => outcome === 'deny')
    .map(({ rule, evidence }) => {
      if (rule === 'spendingLimit') return Number(evidence.windowEndsAt ?? Infinity);
      const seconds = breakerOf(policy, situation)?.seconds;
      if (rule !== 'burnRate' || seconds === undefined) return Infinity;
      return Math.min(...volleys.map(({ at }) => forgottenAt(seconds, at)).filter((time) => time > now));
    });
  return Math.max(...times);
};

/**
 * Possible start times: just before a window ends, so that a limit can be used twice; or so that the window ends in the
 * middle of the period, if other rules need time on both sides. The rule that stops the attacker comes first.
 */
const startsOf = (policy: Policy, situation: Situation, period: Period, stop: Stop | undefined): number[] => {
  const { at } = situation;
  const seconds = breakerOf(policy, situation)?.seconds;
  const limits = activeRulesOf(limitSetup, policy.rules)
    .filter(({ policyData: { type } }) => type === 'PAYMASTER' || type === 'SUBJECT')
    .sort((one, other) => Number(other.name === stop?.name) - Number(one.name === stop?.name))
    .flatMap(({ policyData }) => windowAt(policyData, at).endsAt ?? []);
  return [
    ...(stop?.rule === 'burnRate' && seconds !== undefined ? [partEndsAt(seconds, at)] : []),
    ...limits.flatMap((endsAt) => [endsAt - 1, endsAt - PERIOD_MS[period] / 2]),
    at,
  ];
};

const NOTHING: Attack = { volleys: [], amountWei: 0n, last: undefined, end: undefined };

interface Plan {
  readonly period: Period;
  /** The most expensive sponsored operation. */
  readonly operation: AttackOperation;
  readonly heldNow: HeldNow;
  /** The maximum cost of the attack, and the rule that ensures it; undefined if no rule does. */
  readonly bound: Rung | undefined;
}

const play = (
  policy: Policy,
  situation: Situation,
  { period, operation: costliest, heldNow }: Plan,
  { start, takesRest }: Tactics,
): Attack => {
  const isMined = period !== 'atOnce';
  const books = new Books(policy, situation, isMined);
  books.begin(attempt(policy, situation, costliest.op).reservations, heldNow);
  const volleys: Volley[] = [];
  let { last, end } = NOTHING;
  let at = start;
  for (let round = 0; round < MAX_ROUNDS && at < start + PERIOD_MS[period]; round += 1) {
    const played = playRound(policy, books, { at, costliest, takesRest });
    volleys.push(...played.volleys);
    last = played.last ?? last;
    end = played.end;
    if (end === undefined) break;
    at = Math.max(at + 1, overAt(policy, situation, end, { volleys, now: at }));
  }
  return {
    volleys,
    amountWei: volleys.reduce((sum, { count, operation }) => sum + count * operation.costWei, 0n),
    last,
    end,
  };
};

/**
 * Simulates an attack: each operation comes from a new account, and is decided with the ledger after the operations
 * before it. An attack of an hour or a day starts at the worst moment with an empty ledger, and each operation is mined
 * before the next one is requested. In an attack without waiting, nothing is mined, and the ledger accounts start with
 * their current amounts. Tries several tactics and returns the attack that comes closest to the bound. Yields before
 * each tactic.
 */
export function* playAttack(policy: Policy, situation: Situation, plan: Plan): Generator<undefined, Attack> {
  const starts = plan.period === 'atOnce' ? [situation.at] : startsOf(policy, situation, plan.period, plan.bound);
  const tactics = starts.flatMap((start) => [true, false].map((takesRest) => ({ start, takesRest })));
  let best = NOTHING;
  for (const one of tactics) {
    yield;
    const attack = play(policy, situation, plan, one);
    if (best.last === undefined || attack.amountWei > best.amountWei) best = attack;
    const isThere = plan.bound === undefined || attack.amountWei * 1_000n >= plan.bound.amountWei * 999n;
    if (isThere) break;
  }
  return best;
}
