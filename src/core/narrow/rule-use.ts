import { addressKey } from '../../shared/schema/hex.ts';
import { contracts } from '../rules/contracts.ts';
import type { PastDecision } from '../decision/past-decision.ts';
import { ruleInput } from '../decision/rule-input.ts';
import { isRuleType, ruleTypeOf } from '../decision/rule-words.ts';
import type { PolicyRule } from '../policy/policy.ts';
import { type RuleInput, rulesOf } from '../rules/rule.ts';
import { addsUp, limitSetup } from '../rules/spending-limit/index.ts';
import { walletDeployment } from '../rules/wallet-deployment.ts';
import { reservedLimits } from './reserved-limits.ts';

/** When a registered contract or a rule was last used. Epoch ms. */
export interface LastUse {
  readonly ruleId: string;
  /** Null: no decision that was read has used it. */
  readonly lastAt: number | null;
  /** The first decision that was read whose policy contains it. */
  readonly knownSince: number;
}

const calledContracts = ({ decoding, deployment }: RuleInput): ReadonlySet<string> =>
  new Set(
    [decoding, deployment?.decoding].flatMap((one) =>
      one?.outcome === 'decoded' ? one.calls.map(({ target }) => addressKey(target)) : [],
    ),
  );

/** The rules that apply to the operation, and of the limits and deployment rules only those with something to count. */
const concerned = ({ policy: { rules }, deployment }: RuleInput, decision: PastDecision): PolicyRule[] => {
  const reserved = new Set(reservedLimits(decision).map(({ ruleId }) => ruleId));
  const adding = new Set(
    rulesOf(limitSetup, rules)
      .filter(addsUp)
      .map(({ ruleId }) => ruleId),
  );
  return rules.filter(({ ruleId, policyType, active }) => {
    if (!active || !isRuleType(policyType)) return false;
    if (adding.has(ruleId)) return reserved.has(ruleId);
    return policyType !== walletDeployment.setup.policyType || deployment !== undefined;
  });
};

/**
 * Finds when the contracts and rules of a policy were last used. A contract is used by an operation that calls it, a
 * rule by one that it applies to. Only sponsored operations count, and those that a rule of its kind denied.
 */
export class RuleUse {
  readonly #uses = new Map<string, LastUse>();

  /** Adds the next decision. Decisions come in order. */
  add(decision: PastDecision): void {
    const { at, outcome, facts, policy: recorded } = decision;
    if (facts === undefined || recorded === undefined) return;
    for (const { ruleId } of [...recorded.contracts, ...recorded.rules]) {
      if (!this.#uses.has(ruleId)) this.#uses.set(ruleId, { ruleId, lastAt: null, knownSince: at });
    }
    const input = ruleInput(facts, recorded);
    const isUsedBy = (type: string): boolean => outcome === 'sponsored' || decision.rule === type;
    if (isUsedBy(contracts.type)) {
      const called = calledContracts(input);
      const used = input.policy.contracts.filter(({ active, address }) => active && called.has(addressKey(address)));
      for (const { ruleId } of used) this.#use(ruleId, at);
    }
    for (const rule of concerned(input, decision)) {
      if (isUsedBy(ruleTypeOf(rule.policyType).type)) this.#use(rule.ruleId, at);
    }
  }

  #use(ruleId: string, lastAt: number): void {
    const { knownSince = lastAt } = this.#uses.get(ruleId) ?? {};
    this.#uses.set(ruleId, { ruleId, lastAt, knownSince });
  }

  /** The last use of each contract and rule that the policies of the decisions contain. */
  lastUses(): LastUse[] {
    return [...this.#uses.values()];
  }
}
