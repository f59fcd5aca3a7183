import { z } from 'zod';
import type { SubjectFault } from '../../core/facts/facts.ts';
import { type VoucherDomain, voucherDigest } from '../../core/identity/voucher.ts';
import { isTakenByContracts } from '../../core/replay/recover-signer.ts';
import { type Address, hex, sameAddress } from '../../shared/schema/hex.ts';
import { quantity } from '../../shared/schema/quantity.ts';
import { recoverFromDigest } from '../signer/recover-signer.ts';
import { subjectText } from './subject-text.ts';

/** The longest time for which a voucher may be valid, in seconds: a leaked one should not be good for years. */
const LONGEST_SECONDS = 30n * 86_400n;

const MAX_UINT64 = (1n << 64n) - 1n;

const form = z.object({
  subject: subjectText,
  expiresAt: quantity.refine((seconds) => seconds <= MAX_UINT64),
  signature: hex,
});

/** Whom a voucher has to be for, and by whom. */
export interface VoucherQuestion extends VoucherDomain {
  readonly signer: Address;
  readonly sender: Address;
}

/** What a proof of identity says, or what is wrong with it. It may have expired. */
export type Proof =
  | { readonly subject: string; readonly expiresAt: number; readonly fault?: undefined }
  | { readonly fault: SubjectFault };

/** Verifies a voucher of a client. @param now epoch ms */
export const verifyVoucher = (
  { signer, chainId, paymasterId, sender }: VoucherQuestion,
  voucher: unknown,
  now: number,
): Proof => {
  const { data } = form.safeParse(voucher);
  if (data === undefined) return { fault: 'VOUCHER_FORM' };
  const { subject, expiresAt, signature } = data;
  if (!isTakenByContracts(signature)) return { fault: 'VOUCHER_SIGNATURE' };
  const digest = voucherDigest({ chainId, paymasterId }, { sender, subject, expiresAt });
  const recovered = recoverFromDigest(digest, signature);
  if (recovered === undefined || !sameAddress(recovered, signer)) return { fault: 'VOUCHER_SIGNER' };
  if (expiresAt > BigInt(Math.floor(now / 1000)) + LONGEST_SECONDS) return { fault: 'VOUCHER_TOO_LONG' };
  return { subject, expiresAt: Number(expiresAt) };
};
