import { max } from '../../shared/bigints.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { type Address, type Hex, addressKey } from '../../shared/schema/hex.ts';
import { grouped } from '../../shared/words/amount.ts';
import { stateChangingMethods, whitelisted } from '../contract-abi/methods.ts';
import type { PastDecision } from '../decision/past-decision.ts';
import { ruleInput } from '../decision/rule-input.ts';
import { heldAfter } from '../ledger/after-settlement.ts';
import type { Policy, PolicyContract, PolicyRule } from '../policy/policy.ts';
import { type RuleInput, activeRulesOf, rulesOf } from '../rules/rule.ts';
import { sendersSetup } from '../rules/senders/index.ts';
import {
  type LimitRule,
  type SpendingLimit,
  addsUp,
  countedBy,
  limitAmount,
  limitReservations,
  limitSetup,
  thresholdUnits,
} from '../rules/spending-limit/index.ts';
import { reservedLimits } from './reserved-limits.ts';

/** A policy that sponsors less, and why. */
export interface NarrowedPolicy {
  readonly policy: Policy;
  /** Decisions that were read, and how many of them were sponsored by the policy's rules. */
  readonly decisions: number;
  readonly sponsored: number;
  /** Times of the first and the last decision, epoch ms; null without any. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** A sentence for each contract or rule, by its `ruleId`: how it was used, and what was removed. */
  readonly notes: ReadonlyMap<string, string>;
  /** A sentence for each contract that was removed. */
  readonly removed: readonly string[];
}

interface Use {
  count: number;
  lastAt: number;
}

/** A threshold is lowered if less than this part of it was reached. */
const FAR_ABOVE = 2n;
/** Thresholds are rounded up to this many digits. */
const DIGITS = 2;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

const times = (count: number): string => (count === 1 ? 'once' : `${grouped(count)} times`);

const roundedUp = (amount: bigint): bigint => {
  const unit = 10n ** BigInt(Math.max(0, String(amount).length - DIGITS));
  return ((amount + unit - 1n) / unit) * unit;
};

const keyOf = (target: string, selector: string): string => `${target} ${selector}`;

/** The sum of the amounts of the last milliseconds. */
class SlidingSum {
  readonly #lengthMs: number;
  readonly #amounts: { readonly at: number; readonly amount: bigint }[] = [];
  #oldest = 0;
  #sum = 0n;

  /** Starts with nothing. @param lengthMs undefined: all amounts count */
  constructor(lengthMs = Infinity) {
    this.#lengthMs = lengthMs;
  }

  /** The sum at a time, which is never before an earlier one. */
  at(now: number): bigint {
    for (let one = this.#amounts[this.#oldest]; one !== undefined; one = this.#amounts[this.#oldest]) {
      if (now - one.at < this.#lengthMs) break;
      this.#sum -= one.amount;
      this.#oldest += 1;
    }
    return this.#sum;
  }

  add(at: number, amount: bigint): void {
    this.#amounts.push({ at, amount });
    this.#sum += amount;
  }
}

/** Adds up what the operations that were sponsored needed of a policy, and removes the rest from it. */
export class PolicyNarrowing {
  readonly #policy: Policy;
  readonly #calls = new Map<string, Use>();
  readonly #senders = new Set<Address>();
  /** The most that was reserved and spent in any account of a limit, by its rule. */
  readonly #peaks = new Map<string, bigint>();
  /** What counts in the newest window of each limit or, for a limit per user or person, of each of them. */
  readonly #windows = new Map<string, SlidingSum>();
  #decisions = 0;
  #sponsored = 0;
  #firstAt: number | null = null;
  #lastAt: number | null = null;

  /** Starts without decisions. @param policy the policy in force */
  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** Adds the next decision. Only sponsored operations count, and none that users paid for in a token. */
  add(decision: PastDecision): void {
    const { at, facts, policy: recorded } = decision;
    this.#decisions += 1;
    this.#firstAt ??= at;
    this.#lastAt = at;
    if (decision.code !== 'SPONSORED' || facts === undefined || recorded === undefined) return;
    this.#sponsored += 1;
    const input = ruleInput(facts, recorded);
    this.#senders.add(addressKey(input.op.sender));
    this.#addCalls(input, at);
    const reserved = this.#reachReserved(decision);
    for (const limit of this.#limits()) {
      const isKnown = addsUp(limit) && recorded.rules.some(({ ruleId }) => ruleId === limit.ruleId);
      // A limit that was known and reserved nothing did not apply to the operation.
      if (isKnown && !reserved.has(limit.ruleId)) continue;
      const counted = countedBy(limit, { sender: input.op.sender, subject: input.subject });
      if (counted === undefined) continue;
      const account = `${limit.ruleId} ${counted.user ?? ''}`;
      this.#count(limit, account, decision, limitAmount(limit.policyData, input.requiredWei, facts.price) ?? 0n);
    }
  }

  #addCalls({ decoding, deployment }: RuleInput, at: number): void {
    for (const one of [decoding, deployment?.decoding]) {
      if (one?.outcome !== 'decoded') continue;
      for (const { target, data } of one.calls) this.#addCall(keyOf(target, data.slice(0, 10)), at);
    }
  }

  /** Counts what the operation reserved in limits. @returns their ids */
  #reachReserved(decision: PastDecision): ReadonlySet<string> {
    const limits = reservedLimits(decision);
    for (const { ruleId, reached } of limits) this.#reach(ruleId, reached);
    return new Set(limits.map(({ ruleId }) => ruleId));
  }

  /**
   * Counts an operation in a limit. A limit that is changed starts its windows again, so what counts is the most in any
   * time as long as a window, wherever that begins. @param account of the limit: that of all, of a user or of a person
   */
  #count({ ruleId, policyData: limit }: LimitRule, account: string, decision: PastDecision, amount: bigint): void {
    const { at, settlement, actualCostWei, maxCostWei } = decision;
    const window = this.#windows.get(account) ?? new SlidingSum(limit.durationInMs);
    this.#windows.set(account, window);
    this.#reach(ruleId, (limit.type === 'OPERATION' ? 0n : window.at(at)) + amount);
    const reservation = {
      follows: limitReservations[limit.thresholdType],
      reserved: amount,
      ofWei: BigInt(maxCostWei ?? 0),
    };
    window.add(at, heldAfter(settlement ?? 'unconfirmed', reservation, BigInt(actualCostWei ?? 0)));
  }

  #addCall(key: string, at: number): void {
    const use = this.#calls.get(key) ?? { count: 0, lastAt: at };
    use.count += 1;
    use.lastAt = at;
    this.#calls.set(key, use);
  }

  #reach(ruleId: string, amount: bigint): void {
    this.#peaks.set(ruleId, max(amount, this.#peaks.get(ruleId) ?? 0n));
  }

  #limits(): readonly LimitRule[] {
    return activeRulesOf(limitSetup, this.#policy.rules);
  }

  /** How a method was called; undefined if it was not. */
  #useOf(address: string, selector: Hex): Use | undefined {
    return this.#calls.get(keyOf(addressKey(address as Address), selector));
  }

  #contract(contract: PolicyContract, notes: Map<string, string>): PolicyContract {
    const { ruleId, active, abi, address, whitelistedMethods } = contract;
    if (!active) return contract;
    const methods = stateChangingMethods(abi);
    const uses = whitelistedMethods.map((label) => ({
      label,
      use: whitelisted(methods, [label])
        .map(({ selector }) => this.#useOf(address, selector))
        .find((use) => use !== undefined),
    }));
    const unused = uses.filter(({ use }) => use === undefined).map(({ label }) => label);
    const said = uses.flatMap(({ label, use }) =>
      use === undefined ? [] : [`${label} was called ${times(use.count)}, last on ${dayOf(use.lastAt)}`],
    );
    const parts = [...said, ...(unused.length > 0 ? [`never called: ${unused.join(', ')}`] : [])];
    if (parts.length > 0) notes.set(ruleId, parts.join('; '));
    return unused.length === 0
      ? contract
      : { ...contract, whitelistedMethods: whitelistedMethods.filter((label) => !unused.includes(label)) };
  }

  #limit(rule: PolicyRule & { readonly policyData: SpendingLimit }, notes: Map<string, string>): PolicyRule {
    const { ruleId, policyData } = rule;
    const peak = this.#peaks.get(ruleId) ?? 0n;
    const inUnits = (amount: bigint): string =>
      policyData.thresholdType === 'COUNT' ? String(amount) : weiToDecimal(amount);
    if (peak === 0n) {
      notes.set(ruleId, 'no operation counted in it');
      return rule;
    }
    const lowered = policyData.thresholdType === 'COUNT' ? peak : roundedUp(peak);
    const isFarAbove = lowered * FAR_ABOVE <= thresholdUnits(policyData);
    const was = isFarAbove ? `was ${policyData.threshold}; ` : '';
    notes.set(ruleId, `${was}at most ${inUnits(peak)} of it was reached`);
    return isFarAbove ? { ...rule, policyData: { ...policyData, threshold: inUnits(lowered) } } : rule;
  }

  #rule(rule: PolicyRule, notes: Map<string, string>): PolicyRule {
    if (!rule.active) return rule;
    const [limit] = rulesOf(limitSetup, [rule]);
    if (limit !== undefined) return this.#limit(limit, notes);
    const [list] = rulesOf(sendersSetup, [rule]);
    if (list?.policyData.mode !== 'ALLOW') return rule;
    const { addresses } = list.policyData;
    const seen = addresses.filter((one) => this.#senders.has(one));
    const unseen = addresses.length - seen.length;
    notes.set(rule.ruleId, `${grouped(seen.length)} of ${grouped(addresses.length)} accounts were sponsored`);
    if (seen.length === 0 || unseen === 0) return rule;
    return { ...rule, policyData: { ...list.policyData, addresses: seen } };
  }

  /** The policy without what no sponsored operation needed. Without sponsored operations, it stays as it is. */
  narrowed(): NarrowedPolicy {
    const counts = { decisions: this.#decisions, sponsored: this.#sponsored };
    const extent = { firstAt: this.#firstAt, lastAt: this.#lastAt };
    const notes = new Map<string, string>();
    if (this.#sponsored === 0) return { policy: this.#policy, ...counts, ...extent, notes, removed: [] };
    const contracts = this.#policy.contracts.map((contract) => this.#contract(contract, notes));
    const used = contracts.filter(({ active, whitelistedMethods }) => !active || whitelistedMethods.length > 0);
    // Without any registered contract, the policy would sponsor every call.
    const kept = used.length === 0 ? contracts.slice(0, 1) : used;
    const removed = contracts
      .filter((contract) => !kept.includes(contract))
      .map(({ name, address }) => `${name} (${address}) was never called`);
    const rules = this.#policy.rules.map((rule) => this.#rule(rule, notes));
    return { policy: { ...this.#policy, contracts: kept, rules }, ...counts, ...extent, notes, removed };
  }
}
