import type { z } from 'zod';
import type { Evidence, Explanation } from '../../shared/denials.ts';
import type { TraceStep } from '../../shared/schema/decision.ts';
import type { Deployment } from '../calls/decode-deployment.ts';
import type { AskCondition } from '../conditions/answers.ts';
import type { ConditionValues } from '../conditions/vocabulary.ts';
import type { Decoding } from '../calls/decoding.ts';
import type { Facts } from '../facts.ts';
import type { Reservation } from '../ledger/account.ts';
import type { PaymasterLayout } from '../paymaster-layouts/layout.ts';
import type { Policy, PolicyPause, PolicyRule } from '../policy.ts';
import type { PaymentTerms } from '../token-mode/payment-terms.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { OwnForm, RuleForm } from './field.ts';

/** What a check says of an operation. Every result leaves the values that were compared. */
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
  /** Time taken where it was not measured here, in µs. */
  readonly micros?: number;
};

/** A rule that does not apply to this operation, and its trace step. */
export interface IdleRule {
  readonly rule: PolicyRule;
  readonly result: CheckResult & Pick<Step, 'shadow'>;
}

/** What a check may say of its step besides. */
export type StepParts = Pick<Step, 'call' | 'micros' | 'shadow'>;

/** What the rules look at: the facts and the policy, and what follows from them. */
export interface RuleInput {
  readonly facts: Facts;
  /** Without the rules of sponsorship where the user pays in a token. */
  readonly policy: Policy;
  /** Rules of the policy that do not bind the operation; {@link policy} is without them. */
  readonly idle: readonly IdleRule[];
  readonly op: UserOperation;
  /** The calls that the operation makes. */
  readonly decoding: Decoding;
  /** How it makes its account, and the calls that it makes on the way; undefined where it makes none. */
  readonly deployment: (Deployment & { readonly decoding: Decoding }) | undefined;
  /** The contract that signs: in token mode on the terms of the payment. */
  readonly layout: PaymasterLayout;
  /** What the operation can take from the gas tank at most, wei. */
  readonly requiredWei: bigint;
  /** How the user pays; undefined where the operation is sponsored. */
  readonly payment: PaymentTerms | undefined;
  /** What the coin of the chain is called. */
  readonly symbol: string;
  /** What conditions are asked of; worked out once it is needed. */
  readonly values: () => ConditionValues;
  /** Evaluates conditions within the steps that a decision may take. */
  readonly ask: AskCondition;
}

/** What a denial brings about besides. */
export interface Effects {
  /** Pauses all sponsorship. A pause that there is already stays as it is. */
  readonly pause?: PolicyPause;
  /** Likewise pauses the DApp alone. */
  readonly pauseDapp?: PolicyPause;
}

/** What the engine gives a kind that keeps what an operator has sent. */
export interface Keeping {
  /** Epoch ms. */
  readonly now: number;
  /** Puts a URL into the vault. It answers what may be shown of it. */
  readonly keepUrl: (url: string) => string;
}

/** What operators set up of a kind: rules of a `policyType`, each with its `policyData`. */
export interface Setup<Sent = unknown, Kept extends object = object> {
  readonly policyType: string;
  /** Its place among the types that operators choose from; absent: behind those that have one. */
  readonly place?: number;
  /** It lets operations pass that are denied without it: which ones, with their verb. */
  readonly allows?: string;
  /** True: whoever sends an operation can have it pass, so it stops no attacker. */
  readonly anybodyMeets?: boolean;
  /** `policyData` as it is sent. */
  readonly sent: z.ZodType<Sent>;
  /** The same on the management interface, where numbers are JSON numbers; absent: no different. */
  readonly managed?: z.ZodType<Sent>;
  /** `policyData` as it is stored, answered, and read when deciding. */
  readonly kept: z.ZodType<Kept>;
  /** True: what the rule counted goes on counting with the changed data. Absent: every change begins with nothing. */
  continues?(before: Kept, after: Kept): boolean;
  /** Whether such a rule binds users who pay in a token, too. Absent: none does. */
  bindsTokenMode?(kept: Kept): boolean;
  /** Whether such a rule is decided by what the native coin is worth. Absent: none is. */
  asksForPrice?(kept: Kept): boolean;
  /** What is kept of what was sent. */
  keep(sent: Sent, keeping: Keeping): Kept;
  /** What such a rule does, in a sentence. @param coin what the coin of the chain is called */
  sentence(kept: Kept, coin: string): string;
  /** What holds where a DApp has no such rule, in a sentence. @param isRestricted true if it has registered contracts */
  withoutRules(isRestricted: boolean): string;
  /** How the console asks for one. */
  readonly form: RuleForm | OwnForm;
}

/** One kind of rule. */
export interface RuleKind<Code extends string = string> {
  /** Its name in the trace, in reasons and in filters. */
  readonly type: string;
  /** The same for people. */
  readonly title: string;
  /** The words for each code with which it denies. Without any it informs, and never denies. */
  readonly denials: Readonly<Record<Code, (evidence: Evidence) => Explanation>>;
  /** Absent: it is not for operators to add. */
  readonly setup?: Setup;
  /** False: it is not looked at while gas may be open still. Default: it is. */
  readonly bindsDrafts?: boolean;
  /** The accounts that a signed operation takes from. What they hold comes to {@link RuleKind.check} in their order. */
  reserve?(input: RuleInput): readonly Reservation[];
  /** The steps of the trace: none where the rule does not concern the operation. */
  check(input: RuleInput, held: readonly bigint[]): readonly (CheckResult<Code> & StepParts)[];
  /** What follows from its denial with that code. */
  effects?(input: RuleInput, code: Code): Effects;
}

/** A kind that operators can add rules of. */
export interface RuleType<Code extends string = string> extends RuleKind<Code> {
  readonly setup: Setup;
}

/** What was read of `policyData`: a policy is never written to. */
const read = new WeakMap<object, unknown>();

const readData = <Kept extends object>(kept: z.ZodType<Kept>, data: unknown): Kept => {
  if (typeof data !== 'object' || data === null) return kept.parse(data);
  const known = (read.get(data) as Kept | undefined) ?? kept.parse(data);
  read.set(data, known);
  return known;
};

/** The rules that were set up of a kind, paused ones too. @throws ZodError where one is not what the kind keeps */
export const rulesOf = <Kept extends object, Rule extends Pick<PolicyRule, 'policyType' | 'policyData'>>(
  { policyType, kept }: Pick<Setup<never, Kept>, 'policyType' | 'kept'>,
  rules: readonly Rule[],
): (Rule & { readonly policyData: Kept })[] =>
  rules
    .filter((rule) => rule.policyType === policyType)
    .map((rule) => ({ ...rule, policyData: readData(kept, rule.policyData) }));

/** Whether a rule with that data binds users who pay in a token, too. */
export const bindsTokenMode = (setup: Pick<Setup<never>, 'kept' | 'bindsTokenMode'>, data: unknown): boolean =>
  setup.bindsTokenMode?.(readData(setup.kept, data)) ?? false;

/** The operation may go on, as far as this rule is concerned. */
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

/** What a rule says, where it may be in shadow: then it only would deny. */
export const saidBy = <Code extends string>(
  { ruleId, enforcement }: Pick<PolicyRule, 'ruleId' | 'enforcement'>,
  result: CheckResult<Code>,
): CheckResult<Code> & Pick<Step, 'shadow'> => {
  if (enforcement !== 'shadow') return result;
  return { ...result, shadow: ruleId, ...(result.outcome === 'deny' && { outcome: 'wouldDeny' }) };
};

/** The operation is not sponsored. */
export const deny = <Code extends string>(code: Code, evidence: Evidence = {}): CheckResult<Code> => ({
  ...{ outcome: 'deny', code, evidence },
});

/** False for a step that says only that what its rule asks was not read when the operation was decided. */
export const wasRead = ({ code }: Pick<CheckResult, 'code'>): boolean => !code.endsWith('_NOT_READ');

/** Whether other data makes a rule count anew. */
export const restarts = (
  { kept, continues }: Pick<Setup<never>, 'kept' | 'continues'>,
  before: unknown,
  after: unknown,
): boolean => !(continues?.(readData(kept, before), readData(kept, after)) ?? false);
