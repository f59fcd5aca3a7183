import type { z } from 'zod';
import type { Evidence, Explanation } from '../../shared/denials.ts';
import type { TraceStep } from '../../shared/schema/decision.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { Deployment } from '../calls/decode-deployment.ts';
import type { EvaluateCondition } from '../conditions/answers.ts';
import type { ConditionValues } from '../conditions/vocabulary.ts';
import type { Decoding } from '../calls/decoding.ts';
import type { Facts, Subject } from '../facts/facts.ts';
import type { AccountKey, Reservation } from '../ledger/account.ts';
import type { PaymasterLayout } from '../paymaster-layouts/layout.ts';
import type { Policy, PolicyPause, PolicyRule } from '../policy/policy.ts';
import type { PaymentTerms } from '../token-mode/payment-terms.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { OwnForm, RuleForm } from './field.ts';

/** The result of a check. Its evidence contains the values that were compared. */
export type CheckResult<Code extends string = string> =
  | { readonly outcome: 'pass' | 'skip' | 'wouldDeny'; readonly code: string; readonly evidence: Evidence }
  | { readonly outcome: 'deny'; readonly code: Code; readonly evidence: Evidence };

/** The result of a check as a step of the trace. */
export type Step = CheckResult & {
  readonly rule: string;
  /** The id of the rule, if the step belongs to a shadow rule. */
  readonly shadow?: string;
  /** The exchange with a webhook. */
  readonly call?: TraceStep['call'];
  /** Duration in µs, if it was measured elsewhere. */
  readonly micros?: number;
};

/** A rule that does not apply to this operation, with its trace step. */
export interface IdleRule {
  readonly rule: PolicyRule;
  readonly result: CheckResult & Pick<Step, 'shadow'>;
}

/** Optional fields that a check may add to its step. */
export type StepParts = Pick<Step, 'call' | 'micros' | 'shadow'>;

/** The input of the rules: the facts, the policy, and values derived from them. */
export interface RuleInput {
  readonly facts: Facts;
  /** The policy. If the user pays in a token, it lacks the sponsorship rules. */
  readonly policy: Policy;
  /** Rules that do not apply to the operation. {@link policy} excludes them. */
  readonly idle: readonly IdleRule[];
  readonly op: UserOperation;
  readonly decoding: Decoding;
  /**
   * How the operation creates its account, and the calls made during the creation; undefined if it creates no account.
   */
  readonly deployment: (Deployment & { readonly decoding: Decoding }) | undefined;
  /** The layout of the paymaster contract to sign for. In token mode it includes the payment terms. */
  readonly layout: PaymasterLayout;
  /** The maximum amount that the operation can take from the gas tank, in wei. */
  readonly requiredWei: bigint;
  /** Undefined if the user does not pay. */
  readonly payment: PaymentTerms | undefined;
  /** The person who sends the operation; undefined if no rule has verified one. */
  readonly subject: Subject | undefined;
  /** True if a rule in force needs a person that was not looked for. */
  readonly isSubjectUnread: boolean;
  /** Symbol of the chain's native coin. */
  readonly symbol: string;
  /** The values that conditions can read, computed on first use. */
  readonly values: () => ConditionValues;
  /** Evaluates conditions within the decision's budget of steps. */
  readonly evaluate: EvaluateCondition;
}

/** Consequences of a denial beyond the denial itself. */
export interface Effects {
  /** Pauses every DApp of the chain. Existing pauses stay unchanged. */
  readonly pauseChain?: PolicyPause;
  /** Pauses only the DApp. An existing pause stays unchanged. */
  readonly pauseDapp?: PolicyPause;
}

/** What the engine provides to a kind of rule when it stores an operator's input. */
export interface RuleStorage {
  /** Epoch ms. */
  readonly now: number;
  /** Stores a URL in the vault. @returns the form of the URL that may be shown */
  readonly keepUrl: (url: string) => string;
}

/** How operators set up rules of a kind: its `policyType` and the format of its `policyData`. */
export interface Setup<Sent = unknown, Stored extends object = object> {
  readonly policyType: string;
  /** Position among the types that operators choose from. Absent: after all types that have a position. */
  readonly place?: number;
  /** Operations that such a rule allows, and that are denied without it. Phrased as a subject with its verb. */
  readonly allows?: string;
  /** True if any sender can make an operation that satisfies the rule, so that it stops no attacker. */
  readonly anybodyMeets?: boolean;
  /** Schema of `policyData` as it is sent. */
  readonly sent: z.ZodType<Sent>;
  /** The same on the management interface, where numbers are JSON numbers. Absent: the same schema applies. */
  readonly managed?: z.ZodType<Sent>;
  /** Schema of `policyData` as it is stored, returned, and read for decisions. */
  readonly stored: z.ZodType<Stored>;
  /** Whether the rule keeps its count when its data changes. Absent: every change restarts the count. */
  continues?(before: Stored, after: Stored): boolean;
  /** Whether such a rule also applies to users who pay in a token. Absent: no. */
  bindsTokenMode?(stored: Stored): boolean;
  /** Whether such a rule needs the price of the native coin. Absent: no. */
  needsPrice?(stored: Stored): boolean;
  /** Converts sent data to its stored form. */
  keep(sent: Sent, keeping: RuleStorage): Stored;
  /** The effect of such a rule as a sentence. @param coin symbol of the chain's native coin */
  sentence(stored: Stored, coin: string): string;
  /**
   * What applies to a DApp that has no such rule, as a sentence. @param isRestricted true if the DApp has registered
   * contracts
   */
  withoutRules(isRestricted: boolean): string;
  /** The console's form for such a rule. */
  readonly form: RuleForm | OwnForm;
}

/** Who asks how much is left, and when (epoch ms). */
export interface AllowanceQuery {
  readonly at: number;
  readonly sender: Address;
  /** The person behind the sender, if a rule has verified one. */
  readonly subject?: Subject | undefined;
}

/** The account in which operations of a user add up, and its limit. */
export interface Allowance {
  readonly rule: PolicyRule;
  readonly account: AccountKey;
  /** Unit of the amounts: `usd` is 10^-18 US dollars. */
  readonly unit: 'operations' | 'wei' | 'usd';
  readonly limit: bigint;
  /** Epoch ms at which the account starts again from zero; null: never. */
  readonly resetsAt: number | null;
}

export interface RuleKind<Code extends string = string> {
  /** Identifies the kind in traces, denial reasons and filters. */
  readonly type: string;
  /** The kind's display name. */
  readonly title: string;
  /** The explanation for each denial code. A kind without codes only informs. */
  readonly denials: Readonly<Record<Code, (evidence: Evidence) => Explanation>>;
  /** Absent if operators cannot add rules of this kind. */
  readonly setup?: Setup;
  /** True if the check depends on nothing but the operation's sender, calls and deployment, and on the policy. */
  readonly isOfCalls?: boolean;
  /** False if drafts, whose gas may still be missing, are not checked. Default: true. */
  readonly bindsDrafts?: boolean;
  /**
   * The reservations that a signed operation makes in ledger accounts. {@link RuleKind.check} receives their amounts in
   * this order.
   */
  reserve?(input: RuleInput): readonly Reservation[];
  /**
   * For each reservation, the highest amount in its account with which {@link RuleKind.check} does not deny because of
   * that account; undefined if no amount makes it deny. Absent if no such amounts exist for this kind.
   */
  mostHeld?(input: RuleInput): readonly (bigint | undefined)[];
  /** The trace steps; empty if the rule does not concern the operation. */
  check(input: RuleInput, held: readonly bigint[]): readonly (CheckResult<Code> & StepParts)[];
  /** The accounts that limit a user, whatever the operation. Absent: such rules limit no amounts. */
  allowances?(policy: Pick<Policy, 'rules' | 'dapp'>, query: AllowanceQuery): readonly Allowance[];
  /** The effects of a denial with this code. */
  effects?(input: RuleInput, code: Code): Effects;
}

/** A kind of which operators can add rules. */
export interface RuleType<Code extends string = string> extends RuleKind<Code> {
  readonly setup: Setup;
}

/** Cache of parsed `policyData`. Policies are never modified. */
const read = new WeakMap<object, unknown>();

const readData = <Stored extends object>(stored: z.ZodType<Stored>, data: unknown): Stored => {
  if (typeof data !== 'object' || data === null) return stored.parse(data);
  const known = (read.get(data) as Stored | undefined) ?? stored.parse(data);
  read.set(data, known);
  return known;
};

type AnyRule = Pick<PolicyRule, 'policyType' | 'policyData'>;

/** Rules with their parsed data. */
const readRules = new WeakMap<AnyRule, AnyRule>();

const readRule = <Stored extends object>(stored: z.ZodType<Stored>, rule: AnyRule): AnyRule => {
  const known = readRules.get(rule) ?? { ...rule, policyData: readData(stored, rule.policyData) };
  readRules.set(rule, known);
  return known;
};

/** Rules of each kind, by the rules of a policy. Every decision asks for several kinds. */
type OfKinds = WeakMap<readonly AnyRule[], Map<string, readonly AnyRule[]>>;

const ofKinds: OfKinds = new WeakMap();
const activeOfKinds: OfKinds = new WeakMap();

const remembered = (
  cache: OfKinds,
  rules: readonly AnyRule[],
  policyType: string,
  make: () => readonly AnyRule[],
): readonly AnyRule[] => {
  let known = cache.get(rules);
  if (known === undefined) cache.set(rules, (known = new Map<string, readonly AnyRule[]>()));
  let made = known.get(policyType);
  if (made === undefined) known.set(policyType, (made = make()));
  return made;
};

type Kind<Stored extends object> = Pick<Setup<never, Stored>, 'policyType' | 'stored'>;
type RulesOfKind<Stored extends object, Rule> = readonly (Rule & { readonly policyData: Stored })[];

/**
 * The rules of a kind, including paused rules. The result is cached for these `rules`, so do not call it with an array
 * that was made for one request.
 *
 * @throws ZodError if a rule's data does not match the kind
 */
export const rulesOf = <Stored extends object, Rule extends AnyRule>(
  { policyType, stored }: Kind<Stored>,
  rules: readonly Rule[],
): RulesOfKind<Stored, Rule> =>
  remembered(ofKinds, rules, policyType, () =>
    rules.filter((rule) => rule.policyType === policyType).map((rule) => readRule(stored, rule)),
  ) as RulesOfKind<Stored, Rule>;

/** As {@link rulesOf}, without paused rules. */
export const activeRulesOf = <Stored extends object, Rule extends AnyRule & Pick<PolicyRule, 'active'>>(
  kind: Kind<Stored>,
  rules: readonly Rule[],
): RulesOfKind<Stored, Rule> =>
  remembered(activeOfKinds, rules, kind.policyType, () =>
    rulesOf(kind, rules).filter(({ active }) => active),
  ) as RulesOfKind<Stored, Rule>;

/** Whether a rule with this data also applies to users who pay in a token. */
export const bindsTokenMode = (setup: Pick<Setup<never>, 'stored' | 'bindsTokenMode'>, data: unknown): boolean =>
  setup.bindsTokenMode?.(readData(setup.stored, data)) ?? false;

/** The operation passes this rule. */
export const pass = (code: string, evidence: Evidence = {}): CheckResult<never> => ({
  outcome: 'pass',
  code,
  evidence,
});

/** The rule does not apply to this operation. */
export const skip = (code: string, evidence: Evidence = {}): CheckResult<never> => ({
  outcome: 'skip',
  code,
  evidence,
});

/** The result of a rule. If it is a shadow rule, a denial becomes `wouldDeny`. */
export const saidBy = <Code extends string>(
  { ruleId, enforcement }: Pick<PolicyRule, 'ruleId' | 'enforcement'>,
  result: CheckResult<Code>,
): CheckResult<Code> & Pick<Step, 'shadow'> => {
  if (enforcement !== 'shadow') return result;
  return { ...result, shadow: ruleId, ...(result.outcome === 'deny' && { outcome: 'wouldDeny' }) };
};

export const deny = <Code extends string>(code: Code, evidence: Evidence = {}): CheckResult<Code> => ({
  outcome: 'deny',
  code,
  evidence,
});

/** False if the step only reports that a value which the rule needs was not read when the operation was decided. */
export const wasRead = ({ code }: Pick<CheckResult, 'code'>): boolean => !code.endsWith('_NOT_READ');

/** Whether a rule restarts its count because its data changed. */
export const restarts = (
  { stored, continues }: Pick<Setup<never>, 'stored' | 'continues'>,
  before: unknown,
  after: unknown,
): boolean => !(continues?.(readData(stored, before), readData(stored, after)) ?? false);
