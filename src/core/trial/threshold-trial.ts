import { EngineError } from '../../shared/errors.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { type Plan, type Verdict, decidePlanned, planOperation } from '../decision/decide.ts';
import { readableFacts } from '../decision/record.ts';
import type { Facts } from '../facts/facts.ts';
import { accountText } from '../ledger/account.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { readRevision } from '../policy/revision.ts';
import { rulesOf } from '../rules/rule.ts';
import { type LimitRule, addsUp, limitAmount, limitSetup, thresholdUnits } from '../rules/spending-limit/index.ts';
import { webhook } from '../rules/webhook.ts';
import { draftBeside } from './draft-beside.ts';
import { costOf, judge, keptBy } from './judge.ts';
import { type AccountRead, RecordedAccounts } from './recorded-accounts.ts';
import { type CaseRead, type ThresholdCase, ThresholdCases } from './threshold-cases.ts';
import type { DraftAt } from './try-policy.ts';
import { withAnswers } from './with-answers.ts';

/** Higher than any amount that can add up. */
const UNLIMITED = '999999999999999';

/** The limit without its threshold. */
const unlimited = (rule: PolicyRule): PolicyRule => ({
  ...rule,
  policyData: { ...limitSetup.stored.parse(rule.policyData), threshold: UNLIMITED },
});

/** A draft next to the policy of a decision, in which one limit denies nothing. */
export interface UnlimitedDraft {
  readonly policy: Policy;
  readonly limit: LimitRule;
}

/**
 * The draft next to the policy of a decision, without the threshold of one limit.
 *
 * @param ruleId the limit's id in the draft; "new" if the draft adds it
 * @throws EngineError `RULE_NOT_FOUND` or `NOT_A_LIMIT`
 */
export const unlimitedBeside = (recorded: Policy, draft: Policy, from: number, ruleId: string): UnlimitedDraft => {
  const index = draft.rules.findIndex((rule) => rule.ruleId === ruleId);
  if (index === -1) throw new EngineError('RULE_NOT_FOUND');
  if (draft.rules[index]?.policyType !== limitSetup.policyType) throw new EngineError('NOT_A_LIMIT');
  const rules = draft.rules.map((rule, at) => (at === index ? unlimited(rule) : rule));
  const policy = draftBeside(recorded, { ...draft, rules }, from);
  const [limit] = rulesOf(limitSetup, policy.rules.slice(index, index + 1));
  if (limit === undefined) throw new EngineError('NOT_A_LIMIT');
  return { policy, limit };
};

/** The most that each account may hold, in the order of the plan's reservations. Rules that were not reached set none. */
const mostHeld = ({ input, kinds }: Plan, { next }: Verdict): (bigint | undefined)[] => {
  const reached = next === 'done' ? kinds.length : kinds.findIndex(([kind]) => kind === webhook);
  return kinds.flatMap(([kind, reservations], index) => {
    const most = index < reached ? (kind.mostHeld?.(input) ?? []) : [];
    return Array.from({ length: reservations }, (_, one) => most[one]);
  });
};

/** The amounts in the accounts, without those of kinds of rules that tell which amounts make them deny. */
const emptied = ({ kinds }: Plan, reads: readonly AccountRead[]): bigint[] => {
  let next = 0;
  return kinds.flatMap(([{ mostHeld: hasMost }, reservations]) => {
    const own = reads.slice(next, (next += reservations));
    return own.map(({ held }) => (hasMost === undefined ? held : 0n));
  });
};

/** An operation, planned under a draft. */
interface PlannedOperation {
  readonly record: DecisionRecord;
  readonly limit: LimitRule;
  readonly planned: Plan;
  /** The verdict with what {@link emptied} returns. */
  readonly verdict: Verdict;
  readonly reads: readonly AccountRead[];
}

const accountReads = ({ record, limit, planned, verdict, reads }: PlannedOperation): CaseRead[] => {
  const [most, threshold] = [mostHeld(planned, verdict), thresholdUnits(limit.policyData)];
  return reads.flatMap(({ reservation, held, kept }, index): CaseRead[] => {
    const { account, since, shadow } = reservation;
    // Shadow rules deny nothing, and only they read their accounts.
    if (shadow !== undefined) return [];
    const isMoved = account.kind === 'limit' && account.id === `${limit.ruleId}:${limit.cycle}`;
    const passes = most[index];
    return [
      {
        account: since === undefined ? accountText(account) : `${account.kind}:${account.id}`,
        held,
        most: passes !== undefined && isMoved ? passes - threshold : passes,
        isMoved,
        ifTaken: keptBy(record, reservation) - kept,
        ifNot: -kept,
        ...(since !== undefined && { bucket: { window: account.window ?? since, since } }),
      },
    ];
  });
};

/** What a limit on single operations compares. Nothing adds up in an account. */
const singleReads = ({ limit, planned: { input } }: PlannedOperation): CaseRead[] => {
  const applies = input.policy.rules.some(({ ruleId, active }) => ruleId === limit.ruleId && active);
  if (addsUp(limit) || limit.enforcement === 'shadow' || !applies) return [];
  const amount = limitAmount(limit.policyData, input.requiredWei, input.facts.price);
  if (amount === undefined) return [];
  return [{ account: '', held: 0n, most: -amount, isMoved: true, ifTaken: 0n, ifNot: 0n }];
};

/**
 * Prepares a trial of past decisions of a DApp under many thresholds of one limit. For each threshold, it counts what a
 * `PolicyTrial` of the draft with this threshold counts: a threshold only changes the amounts in accounts, so everything
 * else about a decision is found out once. The one difference: the tokens and the EIP-7702 authorisations of
 * operations that are not settled yet count as they really were.
 */
export class ThresholdTrial {
  readonly cases = new ThresholdCases();
  readonly #draftAt: DraftAt;
  readonly #ruleId: string;
  readonly #drafts = new WeakMap<Policy, UnlimitedDraft>();
  readonly #accounts = new RecordedAccounts();
  #from: number | undefined;

  /**
   * Starts a trial without decisions.
   *
   * @param draftAt the draft, whatever its threshold
   * @param ruleId the limit's id in the draft; "new" if the draft adds it
   * @param from when new or changed limits start, epoch ms; absent: at the first decision
   */
  constructor(draftAt: DraftAt, ruleId: string, from?: number) {
    this.#draftAt = draftAt;
    this.#ruleId = ruleId;
    this.#from = from;
  }

  /** @param revision the policy revision that the record names, in its stored form */
  add(record: DecisionRecord, revision: unknown): void {
    const { at, outcome: before } = record;
    if (before === 'error') return;
    this.#from ??= at;
    const facts = readableFacts(record);
    const recorded = readRevision(revision)?.policy;
    const found =
      facts === undefined || recorded === undefined
        ? { clear: 'unknown' as const, reads: [] }
        : this.#plan(record, facts, recorded);
    this.cases.add({ at, sender: record.sender.toLowerCase(), before, costWei: costOf(record), ...found });
  }

  #draftFor(recorded: Policy): UnlimitedDraft {
    const from = this.#from ?? 0;
    const draft =
      this.#drafts.get(recorded) ?? unlimitedBeside(recorded, this.#draftAt(from), from, this.#ruleId);
    this.#drafts.set(recorded, draft);
    return draft;
  }

  #plan(record: DecisionRecord, recordedFacts: Facts, recorded: Policy): Pick<ThresholdCase, 'clear' | 'reads'> {
    const { policy: draft, limit } = this.#draftFor(recorded);
    const facts = withAnswers(recordedFacts, recorded, draft);
    const planned = planOperation(facts, draft);
    const reads = this.#accounts.read(record, planned.reservations);
    const verdict = decidePlanned(planned, emptied(planned, reads));
    const operation = { record, limit, planned, verdict, reads };
    const { outcome: clear } = judge(record, { facts, draft, verdict });
    return { clear, reads: [...accountReads(operation), ...singleReads(operation)] };
  }
}
