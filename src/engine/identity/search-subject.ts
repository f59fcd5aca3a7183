import { type Identity, identitySetup } from '../../core/rules/identity/index.ts';
import { rulesOf } from '../../core/rules/rule.ts';
import type { Vault } from '../signer/vault.ts';
import type { Store } from '../store/store.ts';
import { type NamedSubject, subjectId } from './subject-id.ts';

const namedBy = (data: Identity, paymasterId: string, subject: string): NamedSubject =>
  data.source === 'VOUCHER'
    ? { source: data.source, paymasterId, subject }
    : { source: data.source, issuer: data.issuer, claim: data.claim, subject };

interface SearchContext {
  readonly store: Pick<Store, 'listDapps' | 'dappPolicy'>;
  readonly vault: Vault;
}

/**
 * The ids that stand for a person, according to the IDENTITY rules of the DApps, including paused ones. Empty while the
 * vault is locked. With a paymasterId, only the rules of that DApp count.
 */
export const idsOfSubject = async (
  { store, vault }: SearchContext,
  subject: string,
  paymasterId?: string,
): Promise<string[]> => {
  if (vault.state !== 'unlocked') return [];
  const ids = new Set<string>();
  for (const dapp of await store.listDapps()) {
    if (paymasterId !== undefined && dapp.paymasterId !== paymasterId) continue;
    const { rules } = await store.dappPolicy(dapp.paymasterId);
    for (const { policyData } of rulesOf(identitySetup, rules))
      ids.add(subjectId(vault, namedBy(policyData, dapp.paymasterId, subject)));
  }
  return [...ids];
};
