import { sha256, toUtf8Bytes } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { addressWord, digits, keccak, word } from '../user-operation/hex-digits.ts';
import { keccak256 } from '../user-operation/keccak256.ts';

/** The DApp whose vouchers are meant. */
export interface VoucherDomain {
  readonly chainId: number;
  readonly paymasterId: string;
}

/** What a voucher says: the account belongs to the person, until a time in epoch seconds. */
export interface Voucher {
  readonly sender: Address;
  readonly subject: string;
  readonly expiresAt: bigint;
}

const hashOf = (text: string): string => digits(keccak256(toUtf8Bytes(text)));

const DOMAIN_TYPE = hashOf('EIP712Domain(string name,string version,uint256 chainId,bytes32 salt)');
const VOUCHER_TYPE = hashOf('Voucher(address sender,string subject,uint64 expiresAt)');
const NAME = hashOf('Gasdesk');
const VERSION = hashOf('1');

/**
 * The EIP-712 digest that the DApp's backend signs: of a `Voucher`, in the domain with the name `Gasdesk`, the version
 * `1`, the chain id, and as salt the SHA-256 of the paymasterId, which binds it to the DApp.
 */
export const voucherDigest = (
  { chainId, paymasterId }: VoucherDomain,
  { sender, subject, expiresAt }: Voucher,
): Hex => {
  const salt = digits(sha256(toUtf8Bytes(paymasterId)) as Hex);
  const domain = keccak(DOMAIN_TYPE, NAME, VERSION, word(chainId), salt);
  const voucher = keccak(VOUCHER_TYPE, addressWord(sender), hashOf(subject), word(expiresAt));
  return keccak('1901', digits(domain), digits(voucher));
};
