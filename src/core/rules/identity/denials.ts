import { type DenialRows, type Evidence, pastTime } from '../../../shared/denials.ts';
import type { SubjectFault } from '../../facts/facts.ts';

/** What the client has to send, to be used within a sentence. */
const proof = ({ source, issuer, audience }: Evidence): string =>
  source === 'VOUCHER'
    ? "context.voucher {subject, expiresAt, signature}, which the DApp's backend signs for this sender"
    : `context.idToken, an ID token of ${String(issuer)} for ${String(audience)}`;

const nameOf = ({ source }: Evidence): string => (source === 'VOUCHER' ? 'voucher' : 'ID token');

const renewed = ({ source }: Evidence): string =>
  source === 'VOUCHER'
    ? "Get a new voucher from the DApp's backend, whose expiresAt is in epoch seconds, and send the operation again."
    : 'Have the issuer renew the ID token, or the user sign in again, and send the operation again.';

interface FaultWords {
  readonly what: string;
  readonly help: string;
}

const faults: Readonly<Record<SubjectFault, (evidence: Evidence) => FaultWords>> = {
  VOUCHER_FORM: () => ({
    what: 'the voucher is not {subject, expiresAt, signature} with 1 to 256 characters, epoch seconds, and hex',
    help: 'Send the voucher unchanged, as the backend has signed it.',
  }),
  VOUCHER_SIGNATURE: () => ({
    what: 'the signature of the voucher is not 65 bytes with s in the lower half of its range and v 27 or 28',
    help: 'Sign the voucher with a key of a plain account: signatures of contracts and compact signatures are not accepted.',
  }),
  VOUCHER_SIGNER: ({ signer, sender, chainId, paymasterId }) => ({
    what: `${String(signer)} has not signed this voucher for this sender, chain and DApp`,
    help: `Sign the voucher with the key of ${String(signer)}, for the sender ${String(sender)}, in the domain {name: "Gasdesk", version: "1", chainId: ${String(chainId)}, salt: sha256("${String(paymasterId)}")}.`,
  }),
  VOUCHER_TOO_LONG: () => ({
    what: 'the voucher expires more than 30 days from now',
    help: 'Set expiresAt to at most 30 days from now, in epoch seconds, not milliseconds.',
  }),
  TOKEN_FORM: () => ({
    what: 'the ID token is not a signed JWT of at most 16 KiB whose parts name each member once',
    help: 'Send the ID token unchanged, as the issuer has made it.',
  }),
  TOKEN_ALGORITHM: () => ({
    what: 'the ID token is not signed with RS256, ES256 or EdDSA',
    help: 'Set the issuer to sign ID tokens with RS256, ES256 or EdDSA.',
  }),
  TOKEN_KEY: () => ({
    what: 'the issuer publishes no key with which the ID token may be signed',
    help: "If the issuer has just changed its keys, send the operation again in 30 seconds. Otherwise check the rule's keys.",
  }),
  TOKEN_SIGNATURE: () => ({
    what: 'the signature of the ID token is wrong',
    help: "Send the ID token unchanged, and check the rule's keys.",
  }),
  TOKEN_ISSUER: ({ issuer }) => ({
    what: `the ID token is not of the issuer ${String(issuer)}`,
    help: `Send an ID token whose iss is ${String(issuer)}.`,
  }),
  TOKEN_AUDIENCE: ({ audience }) => ({
    what: `the ID token is not for ${String(audience)}`,
    help: `Send an ID token whose aud is ${String(audience)}.`,
  }),
  TOKEN_NOT_YET: () => ({
    what: 'the ID token is not valid yet',
    help: 'Check the clock of the issuer, and send the operation again when the token is valid.',
  }),
  TOKEN_EXPIRY: () => ({
    what: 'the ID token has no usable expiry',
    help: 'Set the issuer to make ID tokens with exp and nbf in epoch seconds.',
  }),
  TOKEN_CLAIM: ({ claim }) => ({
    what: `the claim ${String(claim)} of the ID token is not a text of 1 to 256 characters`,
    help: `Send an ID token with the claim ${String(claim)}, or name another claim in the rule.`,
  }),
  TOKEN_SENDER: ({ senderClaim, sender }) => ({
    what: `the claim ${String(senderClaim)} of the ID token does not name the sender ${String(sender)}`,
    help: `Send the operation from an account that the claim ${String(senderClaim)} names.`,
  }),
};

export const identityDenials = {
  SUBJECT_MISSING: (evidence) => ({
    message: `The rule "${String(evidence.rule)}" requires a verified person, and the operation carries no ${nameOf(evidence)}.`,
    hint: `Send ${proof(evidence)}.`,
  }),
  SUBJECT_EXPIRED: (evidence) => ({
    message: `The ${nameOf(evidence)} that the rule "${String(evidence.rule)}" requires expired at ${pastTime(Number(evidence.expiresAt))}.`,
    hint: renewed(evidence),
  }),
  SUBJECT_INVALID: (evidence) => {
    const { what, help } = faults[evidence.fault as SubjectFault](evidence);
    return { message: `The rule "${String(evidence.rule)}" requires a verified person, and ${what}.`, hint: help };
  },
  SUBJECT_UNVERIFIABLE: ({ rule, issuer, why }) => ({
    message: `The rule "${String(rule)}" requires a verified person, and the keys of ${String(issuer)} cannot be had: ${String(why)}.`,
    hint: "Send the operation again. If this happens again, check the URL of the issuer's keys in the rule, or paste the keys into the rule.",
  }),
  SUBJECT_NOT_READ: ({ rule }) => ({
    message: `Gasdesk did not verify who sends this operation, so it cannot apply the rule "${String(rule)}".`,
    hint: 'Send the operation again: Gasdesk reads the values that the rules in force need.',
  }),
} satisfies DenialRows;
