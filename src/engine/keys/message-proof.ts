import { Signature, getAddress, verifyMessage } from 'ethers';
import { type Address, type Hex, addressKey } from '../../shared/schema/hex.ts';

export interface MessageProof {
  /** The signer's address, in checksum letter case. */
  readonly address: Address;
  /** 65 bytes: r, s, v. */
  readonly signature: Hex;
}

/** Recovers the signer of an EIP-191 personal message; undefined if the signature is invalid. */
export const proofOf = (message: string, signature: string): MessageProof | undefined => {
  try {
    const { serialized } = Signature.from(signature);
    return { address: verifyMessage(message, serialized) as Address, signature: serialized as Hex };
  } catch {
    return undefined;
  }
};

/** The address with checksum letter case. Accepts any letter case. */
export const checksummed = (address: Address): Address => getAddress(addressKey(address)) as Address;
