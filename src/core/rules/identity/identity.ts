import type { Evidence } from '../../../shared/denials.ts';
import type { Facts, Subject } from '../../facts/facts.ts';
import type { Policy, PolicyRule } from '../../policy/policy.ts';
import { type CheckResult, type RuleInput, type RuleType, activeRulesOf, deny, pass, saidBy, skip } from '../rule.ts';
import { type Identity, identityKey, identitySetup } from './data.ts';
import { identityDenials } from './denials.ts';

/** Seconds by which the clock of an OpenID Connect issuer may differ from Gasdesk's. */
export const TOKEN_LEEWAY = 60;

type IdentityRule = PolicyRule & { readonly policyData: Identity };
type Code = keyof typeof identityDenials;
type Result = CheckResult<Code>;

/** What the active rules that `isAsked` trust, without duplicates, by its key in the facts. */
export const identityQuestions = (
  rules: Policy['rules'],
  isAsked: (rule: PolicyRule) => boolean = () => true,
): ReadonlyMap<string, Identity> =>
  new Map(
    activeRulesOf(identitySetup, rules)
      .filter(isAsked)
      .map(({ policyData }) => [identityKey(policyData), policyData]),
  );

/** Whether an active rule needs a person that was not looked for. */
export const isSubjectUnread = ({ rules }: Pick<Policy, 'rules'>, { subjects }: Facts): boolean =>
  activeRulesOf(identitySetup, rules).some(({ policyData }) => subjects?.[identityKey(policyData)] === undefined);

const isOver = (source: Identity['source'], expiresAt: number, at: number): boolean =>
  at >= (expiresAt + (source === 'OIDC' ? TOKEN_LEEWAY : 0)) * 1000;

const verifiedBy = (
  { policyData }: IdentityRule,
  { subjects, at }: Pick<Facts, 'subjects' | 'at'>,
): Subject | undefined => {
  const found = subjects?.[identityKey(policyData)];
  if (found === undefined || !('id' in found) || isOver(found.source, found.expiresAt, at)) return undefined;
  const { source, id } = found;
  return { source, id };
};

const isShadow = ({ enforcement }: PolicyRule): boolean => enforcement === 'shadow';

/**
 * The person who sends the operation, according to the first active rule that has verified one; rules that are enforced
 * come first. Undefined if none has.
 */
export const subjectOf = (rules: Policy['rules'], facts: Pick<Facts, 'subjects' | 'at'>): Subject | undefined => {
  if (facts.subjects === undefined) return undefined;
  const inOrder = activeRulesOf(identitySetup, rules).toSorted(
    (one, other) => Number(isShadow(one)) - Number(isShadow(other)),
  );
  for (const rule of inOrder) {
    const subject = verifiedBy(rule, facts);
    if (subject !== undefined) return subject;
  }
  return undefined;
};

const trustIn = (data: Identity): Evidence => {
  if (data.source === 'VOUCHER') return { source: data.source, signer: data.signer };
  const { source, issuer, audience, claim, senderClaim } = data;
  return { source, issuer, audience, claim, ...(senderClaim !== undefined && { senderClaim }) };
};

const check = ({ name, policyData }: IdentityRule, { facts, op, policy }: RuleInput): Result => {
  const evidence = { rule: name, ...trustIn(policyData) };
  const found = facts.subjects?.[identityKey(policyData)];
  if (found === undefined) return deny('SUBJECT_NOT_READ', evidence);
  if ('id' in found) {
    const expiresAt = found.expiresAt * 1000;
    return isOver(found.source, found.expiresAt, facts.at)
      ? deny('SUBJECT_EXPIRED', { ...evidence, expiresAt })
      : pass('SUBJECT_VERIFIED', { rule: name, source: found.source, subject: found.id, expiresAt });
  }
  if (found.failure === 'EXPIRED') return deny('SUBJECT_EXPIRED', { ...evidence, expiresAt: found.expiresAt * 1000 });
  if (found.failure === 'UNVERIFIABLE') return deny('SUBJECT_UNVERIFIABLE', { ...evidence, why: found.why });
  if (found.failure === 'INVALID') {
    const { chainId, paymasterId } = policy.dapp;
    return deny('SUBJECT_INVALID', { ...evidence, fault: found.fault, sender: op.sender, chainId, paymasterId });
  }
  // Clients ask for stub data before their users sign in.
  return facts.stage === 'draft' ? skip('SUBJECT_NOT_SENT_YET', evidence) : deny('SUBJECT_MISSING', evidence);
};

/** The denials that tell most about what the client sent come first, after what makes the verdict unknown. */
const BY_WEIGHT: readonly string[] = [
  'SUBJECT_NOT_READ',
  'SUBJECT_EXPIRED',
  'SUBJECT_UNVERIFIABLE',
  'SUBJECT_INVALID',
  'SUBJECT_MISSING',
] satisfies Code[];

interface Checked {
  readonly rule: IdentityRule;
  readonly result: Result;
}

const isMet = ({ result }: Checked): boolean => result.outcome !== 'deny';
const weight = ({ result: { code } }: Checked): number => BY_WEIGHT.indexOf(code);

/** The results of rules that are alternatives: if one is met, no other denies, and if none is met, one denies. */
const asAlternatives = (rules: readonly Checked[], isMetElsewhere: boolean): Checked[] => {
  const isOneMet = isMetElsewhere || rules.some(isMet);
  const inOrder = isOneMet ? rules : rules.toSorted((one, other) => weight(one) - weight(other));
  return inOrder.map((one, index) => {
    const isKept = isMet(one) || (!isOneMet && index === 0);
    return isKept ? one : { ...one, result: skip(one.result.code, one.result.evidence) };
  });
};

/** The person that the operation must carry. A DApp's rules are alternatives. */
export const identity: RuleType<Code> = {
  type: 'identity',
  title: 'Identity',
  denials: identityDenials,
  setup: identitySetup,
  check(input) {
    const checked = activeRulesOf(identitySetup, input.policy.rules).map((rule) => ({
      rule,
      result: check(rule, input),
    }));
    const enforced = checked.filter(({ rule }) => !isShadow(rule));
    const shadowed = checked.filter(({ rule }) => isShadow(rule));
    return [...asAlternatives(enforced, false), ...asAlternatives(shadowed, enforced.some(isMet))].map(
      ({ rule, result }) => saidBy(rule, result),
    );
  },
};
