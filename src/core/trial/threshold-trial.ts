import { EngineError } from '../../shared/errors.ts';
import { type Plan, type Verdict, decidePlanned, planOperation } from '../decision/decide.ts';
import type { PastDecision } from '../decision/past-decision.ts';
import type { Facts } from '../facts/facts.ts';
import { type Reservation, accountText } from '../ledger/account.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { rulesOf } from '../rules/rule.ts';
import {
  type LimitRule,
  type SpendingLimit,
  addsUp,
  limitAmount,
  limitSetup,
  thresholdUnits,
} from '../rules/spending-limit/index.ts';
import { webhook } from '../rules/webhook.ts';
import { draftBeside } from './draft-beside.ts';
import { costOf, judge, keptBy } from './judge.ts';
import { type AccountRead, RecordedAccounts } from './recorded-accounts.ts';
import { type CaseRead, type ThresholdCase, ThresholdCases } from './threshold-cases.ts';
import type { DraftAt } from './draft-beside.ts';
import { withAnswers } from './with-answers.ts';

/** A threshold higher than any amount that can add up. */
export const UNLIMITED = '999999999999999';

/** The limit without its threshold. */
const unlimited = (rule: PolicyRule): PolicyRule => ({
  ...rule,
  policyData: { ...limitSetup.stored.parse(rule.policyData), threshold: UNLIMITED },
});

/** Which draft to try, and from when. */
export interface ThresholdDraft {
  /** The draft, whatever its threshold. */
  readonly draftAt: DraftAt;
  /** The limit's id in the draft; "new" if the draft adds it. */
  readonly ruleId: string;
  /** When new or changed limits start, epoch ms. */
  readonly from: number;
}

/** A draft next to the policy of a decision, in which one limit denies nothing. */
interface UnlimitedDraft {
  readonly policy: Policy;
  readonly limit: LimitRule;
}

/** The draft without its limit's threshold. @throws EngineError `RULE_NOT_FOUND` or `NOT_A_LIMIT` */
const unlimitedBeside = (recorded: Policy, { draftAt, ruleId, from }: ThresholdDraft): UnlimitedDraft => {
  const draft = draftAt(from);
  const index = draft.rules.findIndex((rule) => rule.ruleId === ruleId);
  if (index === -1) throw new EngineError('RULE_NOT_FOUND');
  if (draft.rules[index]?.policyType !== limitSetup.policyType) throw new EngineError('NOT_A_LIMIT');
  const rules = draft.rules.map((rule, at) => (at === index ? unlimited(rule) : rule));
  const policy = draftBeside(recorded, { ...draft, rules }, from);
  const [limit] = rulesOf(limitSetup, policy.rules.slice(index, index + 1));
  if (limit === undefined) throw new EngineError('NOT_A_LIMIT');
  return { policy, limit };
};

/** The draft's limit, next to the policy in force. @throws EngineError `RULE_NOT_FOUND` or `NOT_A_LIMIT` */
export const limitIn = (policy: Policy, draft: ThresholdDraft): SpendingLimit =>
  unlimitedBeside(policy, draft).limit.policyData;

/** The most that each account may hold, in the order of the plan's reservations. Rules that were not reached set none. */
const mostHeld = ({ input, kinds }: Plan, { next }: Verdict): (bigint | undefined)[] => {
  const reached = next === 'done' ? kinds.length : kinds.findIndex(([kind]) => kind === webhook);
  return kinds.flatMap(([kind, reservations], index) => {
    const most = index < reached ? (kind.mostHeld?.(input) ?? []) : [];
    return Array.from({ length: reservations }, (_, one) => most[one]);
  });
};

/** The amounts in the accounts, without those of kinds of rules that state which amounts make them deny. */
const emptied = ({ kinds }: Plan, reads: readonly AccountRead[]): bigint[] => {
  let next = 0;
  return kinds.flatMap(([kind, reservations]) => {
    const own = reads.slice(next, (next += reservations));
    return own.map(({ held }) => (kind.mostHeld === undefined ? held : 0n));
  });
};

/** An operation, planned under a draft. */
interface PlannedOperation {
  readonly decision: PastDecision;
  readonly recorded: Policy;
  readonly draft: UnlimitedDraft;
  readonly facts: Facts;
  readonly planned: Plan;
}

/** Plans operations under a draft next to the policies of their time. */
class ThresholdPlanner {
  readonly #draft: ThresholdDraft;
  readonly #known = new WeakMap<Policy, UnlimitedDraft>();

  constructor(draft: ThresholdDraft) {
    this.#draft = draft;
  }

  #nextTo(recorded: Policy): UnlimitedDraft {
    const draft = this.#known.get(recorded) ?? unlimitedBeside(recorded, this.#draft);
    this.#known.set(recorded, draft);
    return draft;
  }

  /** Undefined if the record does not contain what is needed. */
  plan(decision: PastDecision): PlannedOperation | undefined {
    const { facts: found, policy: recorded } = decision;
    if (found === undefined || recorded === undefined) return undefined;
    const draft = this.#nextTo(recorded);
    const facts = withAnswers(found, recorded, draft.policy);
    return { decision, recorded, draft, facts, planned: planOperation(facts, draft.policy) };
  }
}

const isOfLimit = ({ account }: Reservation, { ruleId, cycle }: LimitRule): boolean =>
  account.kind === 'limit' && account.id === `${ruleId}:${cycle}`;

const accountReads = (operation: PlannedOperation, verdict: Verdict, reads: readonly AccountRead[]): CaseRead[] => {
  const { decision, draft, planned } = operation;
  const [most, threshold] = [mostHeld(planned, verdict), thresholdUnits(draft.limit.policyData)];
  return reads.flatMap(({ reservation, held, kept }, index): CaseRead[] => {
    const { account, since, shadow } = reservation;
    // Shadow rules deny nothing, and only they read their accounts.
    if (shadow !== undefined) return [];
    const isMoved = isOfLimit(reservation, draft.limit);
    const passes = most[index];
    return [
      {
        account: since === undefined ? accountText(account) : `${account.kind}:${account.id}`,
        held,
        most: passes !== undefined && isMoved ? passes - threshold : passes,
        isMoved,
        ifTaken: keptBy(decision, reservation) - kept,
        ifNot: -kept,
        ...(since !== undefined && { bucket: { window: account.window ?? since, since } }),
      },
    ];
  });
};

/** What a limit on single operations compares. Nothing adds up in an account. */
const singleReads = ({ draft: { limit }, planned: { input } }: PlannedOperation): CaseRead[] => {
  const applies = input.policy.rules.some(({ ruleId, active }) => ruleId === limit.ruleId && active);
  if (addsUp(limit) || limit.enforcement === 'shadow' || !applies) return [];
  const amount = limitAmount(limit.policyData, input.requiredWei, input.facts.price);
  if (amount === undefined) return [];
  return [{ account: '', held: 0n, most: -amount, isMoved: true, ifTaken: 0n, ifNot: 0n }];
};

const UNKNOWN = { clear: 'unknown', reads: [] } as const;

type Found = Pick<ThresholdCase, 'clear' | 'reads'>;

const foundFor = (operation: PlannedOperation, reads: readonly AccountRead[]): Found => {
  const { decision, facts, draft, planned } = operation;
  const verdict = decidePlanned(planned, emptied(planned, reads));
  const { outcome: clear } = judge(decision, { facts, draft: draft.policy, verdict });
  return { clear, reads: [...accountReads(operation, verdict, reads), ...singleReads(operation)] };
};

const caseOf = (decision: PastDecision, found: Found): ThresholdCase => ({
  at: decision.at,
  sender: decision.sender.toLowerCase(),
  before: decision.outcome === 'sponsored' ? 'sponsored' : 'denied',
  costWei: costOf(decision),
  ...found,
});

/**
 * Prepares a trial of past decisions of a DApp under many thresholds of one limit. For each threshold, it counts what a
 * `PolicyTrial` of the draft with this threshold counts: a threshold only changes the amounts in accounts, so everything
 * else about a decision is found out once. The one difference: the tokens and the EIP-7702 authorisations of
 * operations that are not settled yet count as they really were.
 */
export class ThresholdTrial {
  readonly cases = new ThresholdCases();
  readonly #planner: ThresholdPlanner;
  readonly #accounts = new RecordedAccounts();

  /** Starts a trial without decisions. */
  constructor(draft: ThresholdDraft) {
    this.#planner = new ThresholdPlanner(draft);
  }

  /** Adds the next decision. */
  add(decision: PastDecision): void {
    if (decision.outcome === 'error') return;
    const operation = this.#planner.plan(decision);
    const reads = operation && this.#accounts.read(decision, operation.planned.reservations);
    this.cases.add(caseOf(decision, operation && reads ? foundFor(operation, reads) : UNKNOWN));
  }
}

/** Whether two limits count the same amounts in windows of the same length. */
const countsAlike = (one: SpendingLimit, other: SpendingLimit): boolean =>
  one.type === other.type && one.thresholdType === other.thresholdType && one.durationInMs === other.durationInMs;

/** What was used of the limit when the operation was decided; undefined if the policy of that time did not count it. */
const recordedUsage = (
  { decision, recorded, draft: { limit } }: PlannedOperation,
  { account: { user = '' } }: Reservation,
  ruleId: string,
): bigint | undefined => {
  const [then] = rulesOf(
    limitSetup,
    recorded.rules.filter((rule) => rule.ruleId === ruleId && rule.policyType === limitSetup.policyType),
  );
  if (then === undefined || !countsAlike(then.policyData, limit.policyData)) return undefined;
  return decision.reservations.find(
    ({ account }) => account.startsWith(`limit:${ruleId}:`) && account.endsWith(`:${user}`),
  )?.held;
};

/**
 * Decides single decisions of a sample under many thresholds, with the usage of the limit that their records name. What
 * the threshold would have changed before is not known, so the number of changes is an estimate, and never too low if
 * only this limit denies.
 */
export class ThresholdSample {
  readonly #planner: ThresholdPlanner;
  readonly #ruleId: string;

  constructor(draft: ThresholdDraft) {
    this.#planner = new ThresholdPlanner(draft);
    this.#ruleId = draft.ruleId;
  }

  caseOf(decision: PastDecision): ThresholdCase {
    const operation = this.#planner.plan(decision);
    return caseOf(decision, operation ? this.#found(operation) : UNKNOWN);
  }

  #found(operation: PlannedOperation): Found {
    const { decision, draft, planned } = operation;
    let isUsageKnown = true;
    const entries = new Map(decision.reservations.map(({ account, held }) => [account, held]));
    const reads: AccountRead[] = [];
    for (const reservation of planned.reservations) {
      const held = isOfLimit(reservation, draft.limit)
        ? recordedUsage(operation, reservation, this.#ruleId)
        : (entries.get(accountText(reservation.account)) ?? 0n);
      if (held === undefined) isUsageKnown = false;
      reads.push({ reservation, held: held ?? 0n, kept: 0n });
    }
    const { clear, reads: compared } = foundFor(operation, reads);
    return {
      // Other rules deny it, or the limit is lower than its amount alone: this is known without the usage.
      clear: isUsageKnown || clear === 'denied' ? clear : 'unknown',
      reads: compared.map((read) => ({ ...read, ifTaken: 0n, ifNot: 0n })),
    };
  }
}
