import type { SigningKey } from '../../../../api/keys.ts';
import type { Address, Hex } from '../../../../shared/schema/hex.ts';

/** Who signs: in the engine's process, or elsewhere. */
export type SignedBy = { readonly key: SigningKey } | { readonly signature: Hex } | { readonly signedTransaction: Hex };

/** What is to be signed; a transaction is there only once it is known who signs it. */
export type ToSign =
  | { readonly purpose: 'message'; readonly message: string }
  | { readonly purpose: 'transaction'; readonly unsigned: Hex | undefined };

/** A pasted text as an address; undefined while it is none. */
export const pastedAddress = (text: string): Address | undefined =>
  /^0x[0-9a-fA-F]{40}$/.test(text.trim()) ? (text.trim() as Address) : undefined;

/** A pasted text as what it can be: 65 bytes are a signature, more are a signed transaction. */
export const pastedSignature = (text: string): SignedBy | undefined => {
  const bytes = text.trim();
  if (/^0x[0-9a-fA-F]{130}$/.test(bytes)) return { signature: bytes as Hex };
  return /^0x(?:[0-9a-fA-F]{2}){100,}$/.test(bytes) ? { signedTransaction: bytes as Hex } : undefined;
};
