import { TypedDataEncoder, sha256, toUtf8Bytes } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';

/** What a voucher says: this account belongs to this person, until this time (epoch seconds). */
export interface Voucher {
  readonly sender: Address;
  readonly subject: string;
  readonly expiresAt: bigint;
}

/** The type that the DApp's backend signs (EIP-712). */
export const voucherTypes = {
  Voucher: [
    { name: 'sender', type: 'address' },
    { name: 'subject', type: 'string' },
    { name: 'expiresAt', type: 'uint64' },
  ],
};

/** The EIP-712 domain of a DApp's vouchers. The salt binds them to this DApp. */
export const voucherDomain = (chainId: number, paymasterId: string) => ({
  name: 'Gasdesk',
  version: '1',
  chainId,
  salt: sha256(toUtf8Bytes(paymasterId)),
});

/** The digest that the backend signs. */
export const voucherDigest = (domain: ReturnType<typeof voucherDomain>, voucher: Voucher): Hex =>
  TypedDataEncoder.hash(domain, voucherTypes, voucher) as Hex;
