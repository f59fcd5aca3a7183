import { createHmac } from 'node:crypto';
import type { Vault } from '../signer/vault.ts';

/** A person as someone vouches for them. The same name of another DApp's backend or issuer is another person. */
export type NamedSubject =
  | { readonly source: 'VOUCHER'; readonly paymasterId: string; readonly subject: string }
  | { readonly source: 'OIDC'; readonly issuer: string; readonly claim: string; readonly subject: string };

/**
 * What stands for a person in everything that Gasdesk stores: a keyed hash, in hex. Without the vault, no one can guess
 * the person from it.
 *
 * @throws EngineError `VAULT_LOCKED`
 */
export const subjectId = (vault: Pick<Vault, 'subjectKey'>, named: NamedSubject): string => {
  const within = named.source === 'VOUCHER' ? [named.paymasterId] : [named.issuer, named.claim];
  const text = JSON.stringify([named.source, ...within, named.subject]);
  return createHmac('sha256', vault.subjectKey().reveal()).update(text).digest('hex');
};
