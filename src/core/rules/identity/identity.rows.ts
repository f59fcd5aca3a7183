import { type World, withFacts, withPolicy } from '../../../../test/support/advice.ts';
import { row, ruleTable } from '../../../../test/support/rule-table.ts';
import { type Situation, together } from '../../../../test/support/situation.ts';
import { NOW, PERSON, VOUCHERS, people, rule, vouched } from '../../../../test/support/situations.ts';
import { type SubjectFault, subjectFaults, type VerifiedSubject } from '../../facts/facts.ts';
import { type Identity, identityKey } from './data.ts';
import { identity } from './identity.ts';

const HOUR = 3_600;
const SECONDS = NOW / 1000;
const ISSUER = 'https://login.example';

const token: Identity = {
  source: 'OIDC',
  issuer: ISSUER,
  audience: 'game',
  claim: 'sub',
  jwksUrl: `${ISSUER}/keys`,
  senderClaim: 'wallet',
};
const pasted: Identity = {
  source: 'OIDC',
  issuer: ISSUER,
  audience: 'game',
  claim: 'email',
  jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }] },
};
const signedIn: Situation = { policy: { rules: [rule('Signed in', 'IDENTITY', token)] } };
const byToken = (found: VerifiedSubject): Situation => ({ facts: { subjects: { [identityKey(token)]: found } } });
const person = (expiresAt = SECONDS + HOUR): VerifiedSubject => ({ source: 'OIDC', id: PERSON, expiresAt });

const required: Situation = { policy: { rules: [people()] } };
const withVoucher = (found: VerifiedSubject): Situation => together(required, vouched(found));
const withToken = (found: VerifiedSubject): Situation => together(signedIn, byToken(found));
const both: Situation = { policy: { rules: [people(), rule('Signed in', 'IDENTITY', token)] } };
const faulty = (fault: SubjectFault): VerifiedSubject => ({ failure: 'INVALID', fault });
const voucherUntil = (expiresAt: number): VerifiedSubject => ({ source: 'VOUCHER', id: PERSON, expiresAt });

/** The world in which the client has sent a proof that is accepted. */
const proven = (_: unknown, world: World): World =>
  withFacts(world, {
    subjects: Object.fromEntries(
      world.policy.rules.map(({ policyData }) => [
        identityKey(policyData as Identity),
        { ...person(world.facts.at / 1000 + HOUR), source: (policyData as Identity).source },
      ]),
    ),
  });

const voucherWords = { rule: 'People', source: 'VOUCHER', signer: VOUCHERS };
const tokenWords = { rule: 'People', source: 'OIDC', issuer: ISSUER, audience: 'game', claim: 'sub' };

export default ruleTable(identity, {
  SUBJECT_MISSING: {
    rows: [
      row(withVoucher, { failure: 'MISSING' }, person()),
      row(withToken, { failure: 'MISSING' }, person()),
      // One of several is enough.
      row<Situation>(
        (found) =>
          together(both, {
            facts: { subjects: { ...vouched({ failure: 'MISSING' }).facts.subjects, ...found.facts?.subjects } },
          }),
        byToken({ failure: 'MISSING' }),
        byToken(person()),
      ),
    ],
    sparesDrafts: true,
    advices: [
      { denied: withVoucher({ failure: 'MISSING' }), says: /^Send context[.]voucher/, change: proven },
      { denied: withToken({ failure: 'MISSING' }), says: /^Send context[.]idToken/, change: proven },
    ],
    words: { evidence: tokenWords, names: ['"People"', 'no ID token', 'context.idToken', ISSUER, 'game'] },
  },
  SUBJECT_EXPIRED: {
    rows: [
      row((until: number) => withVoucher(voucherUntil(until)), SECONDS, SECONDS + 1),
      row((until: number) => withToken(person(until)), SECONDS - 60, SECONDS - 59),
      row(withToken, { failure: 'EXPIRED', expiresAt: SECONDS - HOUR }, person()),
    ],
    advices: [
      { denied: withVoucher(voucherUntil(SECONDS)), says: /^Get a new voucher/, change: proven },
      { denied: withToken(person(SECONDS - HOUR)), says: /^Have the issuer renew the ID token/, change: proven },
    ],
    words: {
      evidence: { ...voucherWords, expiresAt: NOW },
      names: ['"People"', 'voucher', 'expired at 2026-11-22 12:00 UTC', 'epoch seconds'],
    },
  },
  SUBJECT_INVALID: {
    rows: subjectFaults.map((fault) =>
      row(fault.startsWith('VOUCHER') ? withVoucher : withToken, faulty(fault), person()),
    ),
    advices: subjectFaults.map((fault) => ({
      denied: (fault.startsWith('VOUCHER') ? withVoucher : withToken)(faulty(fault)),
      says: /^(?:Send|Sign|Set|If|Check)/,
      change: proven,
    })),
    words: {
      evidence: { ...voucherWords, fault: 'VOUCHER_SIGNER', sender: VOUCHERS, chainId: 1, paymasterId: 'dapp-1' },
      names: ['"People"', VOUCHERS, 'chainId: 1', 'sha256("dapp-1")'],
    },
  },
  SUBJECT_UNVERIFIABLE: {
    rows: [row(withToken, { failure: 'UNVERIFIABLE', why: 'the connection was refused' }, person())],
    advices: [
      {
        denied: withToken({ failure: 'UNVERIFIABLE', why: 'the connection was refused' }),
        says: /^Send the operation again/,
        change: proven,
      },
      {
        denied: withToken({ failure: 'UNVERIFIABLE', why: 'the connection was refused' }),
        says: /paste the keys into the rule[.]$/,
        change: (said, world) => {
          return proven(said, withPolicy(world, { rules: [rule('Signed in', 'IDENTITY', pasted)] }));
        },
      },
    ],
    words: {
      evidence: { ...tokenWords, why: 'the connection was refused' },
      names: ['"People"', ISSUER, 'the connection was refused', 'paste the keys'],
    },
  },
  SUBJECT_NOT_READ: {
    rows: [
      row<Situation>((proof) => together(required, proof), {}, vouched()),
      row<Situation>(
        (proof) => together({ policy: { rules: [rule('Pasted', 'IDENTITY', pasted)] } }, proof),
        {},
        { facts: { subjects: { [identityKey(pasted)]: person() } } },
      ),
    ],
    advices: [{ denied: required, says: /^Send the operation again/, change: proven }],
    words: { evidence: voucherWords, names: ['"People"', 'did not verify', 'again'] },
  },
});
