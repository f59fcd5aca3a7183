import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { SponsorshipTerms } from '../paymaster/layout.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { signDigest } from '../signer/sign.ts';

/** A paymaster's promise is good from a minute ago, so that clocks may differ (SPEC 4). */
const BACKDATE_S = 60;

/** What the paymaster promises: a window around `now` (ms), and what the contract hashes besides. */
export const termsAt = (
  now: number,
  expiryDuration: number,
  { chainId, contract, fundingWallet }: ReadyPaymaster,
  { senderNonce, delegate }: { senderNonce: bigint | undefined; delegate: Address | undefined },
): SponsorshipTerms => {
  const seconds = Math.floor(now / 1000);
  return {
    chainId,
    paymaster: contract,
    validAfter: seconds - BACKDATE_S,
    validUntil: seconds + expiryDuration,
    ...(fundingWallet !== undefined && { fundingWallet }),
    ...(senderNonce !== undefined && { senderNonce }),
    ...(delegate !== undefined && { eip7702Delegate: delegate }),
  };
};

/** `paymasterAndData` of an operation, signed for its gas and fees. */
export const sponsor = ({ layout, key }: ReadyPaymaster, op: UserOperation, terms: SponsorshipTerms): Hex =>
  layout.encode(op, terms, signDigest(key.reveal(), layout.hash(op, terms)));
