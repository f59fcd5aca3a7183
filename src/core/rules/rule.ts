import type { z } from 'zod';
import type { Evidence, Explanation } from '../../shared/denials.ts';
import type { TraceStep } from '../../shared/schema/decision.ts';
import type { Deployment } from '../calls/decode-deployment.ts';
import type { EvaluateCondition } from '../conditions/answers.ts';
import type { ConditionValues } from '../conditions/vocabulary.ts';
import type { Decoding } from '../calls/decoding.ts';
import type { Facts } from '../facts/facts.ts';
import type { Reservation } from '../ledger/account.ts';
import type { PaymasterLayout } from '../paymaster-layouts/layout.ts';
import type { Policy, PolicyPause, PolicyRule } from '../policy/policy.ts';
import type { PaymentTerms } from '../token-mode/payment-terms.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { OwnForm, RuleForm } from './field.ts';

/** The result of a check. It always contains the values that were compared. */
export type CheckResult<Code extends string = string> =
  | { readonly outcome: 'pass' | 'skip' | 'wouldDeny'; readonly code: string; readonly evidence: Evidence }
  | { readonly outcome: 'deny'; readonly code: Code; readonly evidence: Evidence };

/** A check's result as a step of the trace. */
export type Step = CheckResult & {
  readonly rule: string;
  /** The id of the rule in shadow whose step it is. */
  readonly shadow?: string;
  /** The exchange with a webhook. */
  readonly call?: TraceStep['call'];
  /** Duration if it was not measured here, in µs. */
  readonly micros?: number;
};

/** A rule that does not apply to this operation, and its trace step. */
export interface IdleRule {
  readonly rule: PolicyRule;
  readonly result: CheckResult & Pick<Step, 'shadow'>;
}

/** Further fields that a check may add to its step. */
export type StepParts = Pick<Step, 'call' | 'micros' | 'shadow'>;

/** The input of the rules: the facts and the policy, and what follows from them. */
export interface RuleInput {
  readonly facts: Facts;
  /** Without the rules of sponsorship if the user pays in a token. */
  readonly policy: Policy;
  /** Rules of the policy that do not apply to the operation; {@link policy} excludes them. */
  readonly idle: readonly IdleRule[];
  readonly op: UserOperation;
  readonly decoding: Decoding;
  /** How it creates its account, and the calls made during creation; undefined if it creates no account. */
  readonly deployment: (Deployment & { readonly decoding: Decoding }) | undefined;
  /** The contract that signs: in token mode on the terms of the payment. */
  readonly layout: PaymasterLayout;
  /** The most that the operation can take from the gas tank, wei. */
  readonly requiredWei: bigint;
  /** Undefined if the operation is sponsored. */
  readonly payment: PaymentTerms | undefined;
  /** Symbol of the chain's coin. */
  readonly symbol: string;
  /** The values that conditions see; computed when needed. */
  readonly values: () => ConditionValues;
  /** Evaluates conditions within the steps that a decision may take. */
  readonly evaluate: EvaluateCondition;
}

/** Further effects of a denial. */
export interface Effects {
  /** Pauses all sponsorship. An existing pause stays as it is. */
  readonly pause?: PolicyPause;
  /** Likewise pauses the DApp alone. */
  readonly pauseDapp?: PolicyPause;
}

/** What the engine provides to a kind that stores an operator's input. */
export interface RuleStorage {
  /** Epoch ms. */
  readonly now: number;
  /** Puts a URL into the vault. @returns its showable form */
  readonly keepUrl: (url: string) => string;
}

/** How operators set up rules of a kind: rules of a `policyType`, each with its `policyData`. */
export interface Setup<Sent = unknown, Stored extends object = object> {
  readonly policyType: string;
  /** Its place among the types that operators choose from; absent: after those that have one. */
  readonly place?: number;
  /** The operations that it permits and that are denied without it, with their verb. */
  readonly allows?: string;
  /** True: any sender can make an operation pass, so it stops no attacker. */
  readonly anybodyMeets?: boolean;
  /** `policyData` as it is sent. */
  readonly sent: z.ZodType<Sent>;
  /** The same on the management interface, where numbers are JSON numbers; absent: no different. */
  readonly managed?: z.ZodType<Sent>;
  /** `policyData` as it is stored, returned, and read when deciding. */
  readonly stored: z.ZodType<Stored>;
  /** True: the rule keeps its count with the changed data. Absent: every change restarts it. */
  continues?(before: Stored, after: Stored): boolean;
  /** Whether such a rule also applies to users who pay in a token. Absent: it does not. */
  bindsTokenMode?(stored: Stored): boolean;
  /** Whether such a rule needs the price of the native coin. Absent: it does not. */
  needsPrice?(stored: Stored): boolean;
  /** Converts sent data to its stored form. */
  keep(sent: Sent, keeping: RuleStorage): Stored;
  /** The effect of such a rule, in a sentence. @param coin symbol of the chain's coin */
  sentence(stored: Stored, coin: string): string;
  /** What applies if a DApp has no such rule, in a sentence. @param isRestricted true if it has registered contracts */
  withoutRules(isRestricted: boolean): string;
  /** The form of the console for such a rule. */
  readonly form: RuleForm | OwnForm;
}

export interface RuleKind<Code extends string = string> {
  /** Its name in the trace, in reasons and in filters. */
  readonly type: string;
  /** The same for people. */
  readonly title: string;
  /** The words for each code with which it denies. Without codes it informs, and never denies. */
  readonly denials: Readonly<Record<Code, (evidence: Evidence) => Explanation>>;
  /** Absent: operators cannot add it. */
  readonly setup?: Setup;
  /** False: it is not checked while gas may still be open. Default: it is. */
  readonly bindsDrafts?: boolean;
  /** The accounts that a signed operation takes from. {@link RuleKind.check} receives their amounts in this order. */
  reserve?(input: RuleInput): readonly Reservation[];
  /** The steps of the trace: empty if the rule does not concern the operation. */
  check(input: RuleInput, held: readonly bigint[]): readonly (CheckResult<Code> & StepParts)[];
  /** The effects of its denial with that code. */
  effects?(input: RuleInput, code: Code): Effects;
}

/** A kind that operators can add rules of. */
export interface RuleType<Code extends string = string> extends RuleKind<Code> {
  readonly setup: Setup;
}

/** Parsed `policyData`: policies are never modified. */
const read = new WeakMap<object, unknown>();

const readData = <Stored extends object>(stored: z.ZodType<Stored>, data: unknown): Stored => {
  if (typeof data !== 'object' || data === null) return stored.parse(data);
  const known = (read.get(data) as Stored | undefined) ?? stored.parse(data);
  read.set(data, known);
  return known;
};

/** The rules of a kind, paused ones too. @throws ZodError if the data of one is not of this kind */
export const rulesOf = <Stored extends object, Rule extends Pick<PolicyRule, 'policyType' | 'policyData'>>(
  { policyType, stored }: Pick<Setup<never, Stored>, 'policyType' | 'stored'>,
  rules: readonly Rule[],
): (Rule & { readonly policyData: Stored })[] =>
  rules
    .filter((rule) => rule.policyType === policyType)
    .map((rule) => ({ ...rule, policyData: readData(stored, rule.policyData) }));

/** Whether a rule with that data also applies to users who pay in a token. */
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

/** A rule's result; if the rule is in shadow, a denial becomes "would deny". */
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

/** False for a step which only says that the value its rule needs was not read when the operation was decided. */
export const wasRead = ({ code }: Pick<CheckResult, 'code'>): boolean => !code.endsWith('_NOT_READ');

/** Whether other data makes a rule restart its count. */
export const restarts = (
  { stored, continues }: Pick<Setup<never>, 'stored' | 'continues'>,
  before: unknown,
  after: unknown,
): boolean => !(continues?.(readData(stored, before), readData(stored, after)) ?? false);
