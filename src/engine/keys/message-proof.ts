import { Signature, getAddress, verifyMessage } from 'ethers';
import { type Address, type Hex, addressKey } from '../../shared/schema/hex.ts';

/** Who signed a message. */
export interface MessageProof {
  /** With checksum. */
  readonly address: Address;
  /** 65 bytes: r, s, v; however it was written. */
  readonly signature: Hex;
}

/** Recovers who made this signature of an EIP-191 personal message; undefined if it is no signature. */
export const proofOf = (message: string, signature: string): MessageProof | undefined => {
  try {
    const { serialized } = Signature.from(signature);
    return { address: verifyMessage(message, serialized) as Address, signature: serialized as Hex };
  } catch {
    return undefined;
  }
};

/** The address with its checksum, however it was written. */
export const checksummed = (address: Address): Address => getAddress(addressKey(address)) as Address;
