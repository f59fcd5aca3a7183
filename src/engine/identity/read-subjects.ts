import { isInTime } from '../../core/decision/divide-rules.ts';
import type { Facts, VerifiedSubject } from '../../core/facts/facts.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { type Identity, identityQuestions } from '../../core/rules/identity/index.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { SponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import { type Soon, allSoon, soon } from '../base/soon.ts';
import type { Vault } from '../signer/vault.ts';
import { type KeySets, KeysUnavailable } from './key-sets.ts';
import { type NamedSubject, subjectId } from './subject-id.ts';
import { verifyVoucher } from './verify-voucher.ts';

interface SubjectContext {
  readonly vault: Pick<Vault, 'subjectKey'>;
  readonly keySets: KeySets;
}

/** What a client sent to say who sends the operation. */
interface SentProof extends Pick<SponsorshipOptions, 'voucher' | 'idToken'> {
  readonly sender: Address;
}

const MISSING: VerifiedSubject = { failure: 'MISSING' };

const verified = (vault: SubjectContext['vault'], named: NamedSubject, expiresAt: number): VerifiedSubject => ({
  source: named.source,
  id: subjectId(vault, named),
  expiresAt,
});

const byVoucher = (
  { vault }: SubjectContext,
  { signer }: Extract<Identity, { source: 'VOUCHER' }>,
  { chainId, paymasterId }: Policy['dapp'],
  { voucher, sender }: SentProof,
  now: number,
): VerifiedSubject => {
  if (voucher === undefined) return MISSING;
  const proof = verifyVoucher({ signer, chainId, paymasterId, sender }, voucher, now);
  if (proof.fault !== undefined) return { failure: 'INVALID', fault: proof.fault };
  return verified(vault, { source: 'VOUCHER', paymasterId, subject: proof.subject }, proof.expiresAt);
};

const byToken = async (
  { vault, keySets }: SubjectContext,
  data: Extract<Identity, { source: 'OIDC' }>,
  { idToken, sender }: SentProof,
  now: number,
): Promise<VerifiedSubject> => {
  // Loaded here because most desks need no tokens.
  const { verifyIdToken } = await import('./verify-id-token.ts');
  try {
    const proof = await verifyIdToken({ ...data, sender }, keySets, idToken, now);
    if (proof.fault !== undefined) return { failure: 'INVALID', fault: proof.fault };
    const { issuer, claim } = data;
    return verified(vault, { source: 'OIDC', issuer, claim, subject: proof.subject }, proof.expiresAt);
  } catch (error) {
    if (!(error instanceof KeysUnavailable)) throw error;
    return { failure: 'UNVERIFIABLE', why: error.message };
  }
};

/**
 * Verifies who sends an operation, for the rules in force at `now` (epoch ms). Undefined if no rule needs it; without a
 * promise, unless a token must be verified.
 *
 * @throws EngineError `VAULT_LOCKED`
 */
export const readSubjects = (
  context: SubjectContext,
  sent: SentProof,
  { rules, dapp }: Policy,
  now: number,
): Soon<Facts['subjects']> => {
  const questions = [...identityQuestions(rules, (rule) => isInTime(rule, now))];
  if (questions.length === 0) return undefined;
  const answers = questions.map(([, data]) => {
    if (data.source === 'VOUCHER') return byVoucher(context, data, dapp, sent, now);
    return sent.idToken === undefined ? MISSING : byToken(context, data, sent, now);
  });
  return soon(allSoon(answers), (found) =>
    Object.fromEntries(questions.map(([key], index) => [key, found[index] ?? MISSING])),
  );
};
