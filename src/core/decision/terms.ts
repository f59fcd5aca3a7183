import type { SponsorshipTerms } from '../paymaster-layouts/layout.ts';
import type { RuleInput } from '../rules/rule.ts';

/** A signature is valid from a minute before it is made, because clocks may differ (behaviour 3.3). */
const BACKDATE_S = 60;

/** The period in which a signature is valid, in unix seconds; 0 if the contract has no validity window. */
export const windowOf = (
  at: number,
  expiryDuration: number,
  { neverExpires = false }: { readonly neverExpires?: boolean },
): Pick<SponsorshipTerms, 'validAfter' | 'validUntil'> => {
  if (neverExpires) return { validAfter: 0, validUntil: 0 };
  const seconds = Math.floor(at / 1000);
  return { validAfter: seconds - BACKDATE_S, validUntil: seconds + expiryDuration };
};

/** What the paymaster signs in addition to the operation. */
export const termsOf = ({ facts, policy, layout }: RuleInput): SponsorshipTerms => {
  const { at, expiryDuration, contract, senderNonce, delegate } = facts;
  return {
    chainId: policy.dapp.chainId,
    paymaster: contract.address,
    ...windowOf(at, expiryDuration, layout),
    ...(contract.fundingWallet !== undefined && { fundingWallet: contract.fundingWallet }),
    ...(senderNonce !== undefined && { senderNonce: BigInt(senderNonce) }),
    ...(delegate !== undefined && { eip7702Delegate: delegate }),
  };
};
