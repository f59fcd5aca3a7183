import { decidePlanned, planOperation } from '../decision/decide.ts';
import { type AssumedCounts, type Assumption, type Assumptions, factsAssuming } from './assumptions.ts';
import { type DraftAt, draftBeside } from './draft-beside.ts';
import type { PastDecision } from '../decision/past-decision.ts';
import type { Facts } from '../facts/facts.ts';
import type { Reservation } from '../ledger/account.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { Policy } from '../policy/policy.ts';
import { type Judgement, costOf, isTaken, judge, keptBy, unknownFor } from './judge.ts';
import { type AccountRead, RecordedAccounts } from './recorded-accounts.ts';
import type { UnknownCause } from './unknown-cause.ts';
import { withAnswers } from './with-answers.ts';

/** A decision that would change under the draft. */
export interface Flip {
  readonly id: string;
  readonly from: 'sponsored' | 'denied';
  readonly to: 'sponsored' | 'denied';
  /** Why the draft denies the operation or, if the draft sponsors it, why it was denied at the time. */
  readonly code: string;
  readonly rule: string;
  /** What was assumed; absent if nothing was. */
  readonly assumed?: readonly Assumption[] | undefined;
}

/** The verdicts of a draft policy on past decisions. Omits requests that failed before a decision. */
export interface TrialReport {
  readonly decisions: number;
  /** Sponsored both times, or denied both times for any reason. */
  readonly same: number;
  readonly nowSponsored: number;
  readonly nowDenied: number;
  /**
   * Decisions whose new verdict depends on a webhook that was not called, or on facts that the record does not contain.
   */
  readonly unknown: number;
  /** The same, by what is missing. */
  readonly unknownBy: Readonly<Partial<Record<UnknownCause, number>>>;
  /** Not part of the other counts and costs, except of `decisions`. Absent if the trial makes no assumption. */
  readonly assumed?: AssumedCounts | undefined;
  /**
   * The actual cost of the operations, and their cost under the draft, in wei. If an actual cost is unknown, the
   * maximum cost counts.
   */
  readonly costWei: { readonly before: string; readonly after: string };
  /** Number of users with at least one such operation. */
  readonly senders: { readonly nowSponsored: number; readonly nowDenied: number };
  /** The same, by the rule that denies, under the draft or at the time. */
  readonly byRule: Readonly<Record<string, { readonly nowSponsored: number; readonly nowDenied: number }>>;
  /** The first 1,000 flips, in order. */
  readonly flips: readonly Flip[];
}

/** A flip, with what is needed to decide its operation again. */
export interface TriedFlip extends Flip {
  /** Epoch ms. */
  readonly at: number;
  readonly sender: string;
  /** The amounts in the operation's ledger accounts under the draft. */
  readonly held: readonly bigint[];
}

/**
 * The result of one decision at the time, and under the draft. If the draft's result is unknown, the result at the time
 * is repeated.
 */
export interface BeforeAndAfter {
  readonly before: 'sponsored' | 'denied';
  readonly after: 'sponsored' | 'denied';
}

/** Returns facts as they would have been otherwise. */
export type ChangedFacts = (facts: Facts, recorded: Policy) => Facts;

const MAX_FLIPS = 1_000;

interface TrialVerdict extends Judgement {
  readonly held: readonly bigint[];
  /** What had to be assumed for the outcome. */
  readonly assumed: readonly Assumption[];
}

/**
 * Replays past decisions of a DApp under a draft of its policy, in order, with the ledger that the draft would have led
 * to. Settings that no file can contain, such as a pause, the signer and the chain's limits, are those in force at each
 * decision.
 *
 * If the recorded policy has a ledger account too, the trial starts from the amount in the record and adjusts it by
 * what the draft reserves differently. An account that only the draft has starts empty. Operations count as settled
 * immediately, with the outcome of their settlement.
 */
export class PolicyTrial {
  readonly #draftAt: DraftAt | undefined;
  readonly #factsOf: ChangedFacts;
  readonly #assumptions: Assumptions | undefined;
  readonly #drafts = new WeakMap<Policy, Policy>();
  #from: number | undefined;
  #draft: Policy | undefined;
  /** By how much the amounts in the accounts are higher under the draft than they really were. */
  readonly #ahead = new Ledger();
  readonly #accounts = new RecordedAccounts();
  readonly #count = { decisions: 0, same: 0, nowSponsored: 0, nowDenied: 0, unknown: 0 };
  readonly #unknownBy = new Map<UnknownCause, number>();
  readonly #cost = { before: 0n, after: 0n };
  readonly #assumed = { decisions: 0, same: 0, nowSponsored: 0, nowDenied: 0, before: 0n, after: 0n };
  readonly #assumedBy = new Map<Assumption, number>();
  readonly #senders = { nowSponsored: new Set<string>(), nowDenied: new Set<string>() };
  readonly #byRule = new Map<string, { nowSponsored: number; nowDenied: number }>();
  readonly #flips: TriedFlip[] = [];
  readonly #deniedByCode = new Map<string, number>();

  /**
   * Starts a trial without decisions.
   * @param draftAt undefined: each operation is decided by the policy of its time
   * @param from when new or changed limits start, epoch ms; absent: at the first decision
   * @param factsOf changes what was known of an operation
   * @param assumptions replaces what is missing; decisions that need it are counted apart
   */
  constructor(
    draftAt: DraftAt | undefined,
    from?: number,
    factsOf: ChangedFacts = (facts) => facts,
    assumptions?: Assumptions,
  ) {
    this.#draftAt = draftAt;
    this.#assumptions = assumptions;
    this.#factsOf = factsOf;
    this.#from = from;
  }

  /** Tries the next decision. Returns nothing for a request that failed. */
  add(decision: PastDecision): BeforeAndAfter | undefined {
    const { outcome: before, facts, policy } = decision;
    if (before === 'error') return undefined;
    this.#from ??= decision.at;
    this.#count.decisions += 1;
    const draftVerdict =
      facts === undefined || policy === undefined
        ? { ...unknownFor('record'), held: [], assumed: [] }
        : this.#try(decision, facts, policy);
    const cost = draftVerdict.assumed.length > 0 ? this.#assumed : this.#cost;
    if (before === 'sponsored') cost.before += costOf(decision);
    if (isTaken(decision, draftVerdict)) cost.after += costOf(decision);
    this.#recordVerdict(decision, draftVerdict);
    return { before, after: isTaken(decision, draftVerdict) ? 'sponsored' : 'denied' };
  }

  #draftFor(recorded: Policy): Policy {
    if (this.#draftAt === undefined) return recorded;
    const done = this.#drafts.get(recorded);
    if (done !== undefined) return done;
    const from = this.#from ?? 0;
    this.#draft ??= this.#draftAt(from);
    const draft = draftBeside(recorded, this.#draft, from);
    this.#drafts.set(recorded, draft);
    return draft;
  }

  #held({ reservation, held: really }: AccountRead): bigint {
    const held = really + this.#ahead.heldBy(reservation);
    return held < 0n ? 0n : held;
  }

  /** Updates by how much the accounts are ahead after this decision. */
  #follow(decision: PastDecision, reads: readonly AccountRead[], taken: readonly Reservation[]): void {
    for (const [index, { reservation, kept: really }] of reads.entries()) {
      const reserved = taken[index];
      const kept = reserved === undefined ? 0n : keptBy(decision, reserved);
      if (kept !== really) this.#ahead.addTo(reservation, kept - really);
    }
  }

  #try(decision: PastDecision, recordedFacts: Facts, recorded: Policy): TrialVerdict {
    const draft = this.#draftFor(recorded);
    let facts = withAnswers(this.#factsOf(recordedFacts, recorded), recorded, draft);
    let tried = this.#decide(decision, facts, draft);
    const assumed: Assumption[] = [];
    for (;;) {
      const { cause } = tried.draftVerdict;
      const more = factsAssuming(facts, { cause, verdict: tried.verdict }, this.#assumptions ?? {});
      if (more === undefined) break;
      assumed.push(more.assumption);
      ({ facts } = more);
      tried = this.#decide(decision, facts, draft);
    }
    const isKnown = tried.draftVerdict.outcome !== 'unknown';
    const draftVerdict = { ...tried.draftVerdict, assumed: isKnown ? assumed : [] };
    const taken = tried.verdict.next === 'done' ? tried.verdict.taken : tried.planned.reservations;
    this.#follow(decision, tried.reads, isTaken(decision, draftVerdict) ? taken : []);
    return draftVerdict;
  }

  #decide(decision: PastDecision, facts: Facts, draft: Policy) {
    const planned = planOperation(facts, draft);
    const reads = this.#accounts.read(decision, planned.reservations);
    const held = reads.map((one) => this.#held(one));
    const verdict = decidePlanned(planned, held);
    const draftVerdict: TrialVerdict = { ...judge(decision, { facts, draft, verdict }), held, assumed: [] };
    return { planned, reads, verdict, draftVerdict };
  }

  #recordVerdict(decision: PastDecision, { outcome: to, cause, reason, held, assumed }: TrialVerdict): void {
    const { id, at, sender, outcome: from } = decision;
    if (assumed.length > 0) this.#recordAssumed(decision, to, assumed);
    if (cause !== undefined) this.#unknownBy.set(cause, (this.#unknownBy.get(cause) ?? 0) + 1);
    if (to === 'unknown') this.#count.unknown += 1;
    else if (to === from) {
      if (assumed.length === 0) this.#count.same += 1;
    } else {
      const { code, rule } = reason ?? { code: decision.code, rule: decision.rule ?? '' };
      if (assumed.length === 0) this.#countFlip(sender, { to, code, rule });
      const denial = from === 'sponsored' ? { from, to: 'denied' as const } : { from: 'denied' as const, to };
      const flip = { id, at, sender, ...denial, code, rule, held, ...(assumed.length > 0 && { assumed }) };
      if (this.#flips.length < MAX_FLIPS) this.#flips.push(flip);
    }
  }

  #countFlip(sender: string, { to, code, rule }: Pick<Flip, 'to' | 'code' | 'rule'>): void {
    const change = to === 'denied' ? 'nowDenied' : 'nowSponsored';
    const ofRule = this.#byRule.get(rule) ?? { nowSponsored: 0, nowDenied: 0 };
    ofRule[change] += 1;
    this.#byRule.set(rule, ofRule);
    if (to === 'denied') this.#deniedByCode.set(code, (this.#deniedByCode.get(code) ?? 0) + 1);
    this.#count[change] += 1;
    this.#senders[change].add(sender.toLowerCase());
  }

  #recordAssumed({ outcome }: PastDecision, to: TrialVerdict['outcome'], assumed: readonly Assumption[]): void {
    this.#assumed.decisions += 1;
    this.#assumed[to === outcome ? 'same' : to === 'denied' ? 'nowDenied' : 'nowSponsored'] += 1;
    for (const one of assumed) this.#assumedBy.set(one, (this.#assumedBy.get(one) ?? 0) + 1);
  }

  /** The first 1,000 decisions that would change, in order. */
  get flips(): readonly TriedFlip[] {
    return this.#flips;
  }

  /** Numbers of operations that would now be denied, by the code of the denial. */
  get deniedByCode(): ReadonlyMap<string, number> {
    return this.#deniedByCode;
  }

  /** When new and changed limits start, epoch ms; undefined while unknown. */
  get from(): number | undefined {
    return this.#from;
  }

  /** The report on the decisions so far. */
  report(): TrialReport {
    const { before, after } = this.#cost;
    const { nowSponsored, nowDenied } = this.#senders;
    return {
      ...this.#count,
      unknownBy: Object.fromEntries(this.#unknownBy),
      ...(this.#assumptions !== undefined && { assumed: this.#assumedReport() }),
      costWei: { before: String(before), after: String(after) },
      senders: { nowSponsored: nowSponsored.size, nowDenied: nowDenied.size },
      byRule: Object.fromEntries(this.#byRule),
      flips: this.#flips.map(({ at: _at, sender: _sender, held: _held, ...flip }) => flip),
    };
  }

  #assumedReport(): AssumedCounts {
    const { before, after, ...counts } = this.#assumed;
    const by = Object.fromEntries(this.#assumedBy);
    return { ...counts, by, costWei: { before: String(before), after: String(after) } };
  }
}
