import type { ProcedureOutput } from '../../../../api/index.ts';
import type { SigningKey } from '../../../../api/keys.ts';
import type { Address, Hex } from '../../../../shared/schema/hex.ts';

export type UnsignedTransaction = ProcedureOutput<'transactions.prepare'>;

/**
 * A wallet that signs and sends by itself, and that only this page reaches. Both methods reject with a `WalletError`.
 */
export interface SendingWallet {
  /** Resolves when the wallet can send the transaction: account and chain match. */
  ready(transaction: UnsignedTransaction): Promise<void>;
  /** @returns the transaction's hash */
  send(transaction: UnsignedTransaction): Promise<Hex>;
}

/** Who signs: the engine's process, or another program or device. */
export type SignedBy =
  | { readonly key: SigningKey }
  /** With the account that was asked to sign, if known. */
  | { readonly signature: Hex; readonly address?: Address }
  | { readonly signedTransaction: Hex }
  | { readonly wallet: SendingWallet };

/** What to sign. A transaction exists only when its signer is known. */
export type ToSign =
  | { readonly purpose: 'message'; readonly message: string }
  | { readonly purpose: 'transaction'; readonly unsigned: Hex | undefined };

/** A pasted text as an address; undefined if it is not one. */
export const pastedAddress = (text: string): Address | undefined =>
  /^0x[0-9a-fA-F]{40}$/.test(text.trim()) ? (text.trim() as Address) : undefined;

/** Interprets a pasted text by its length: 65 bytes are a signature, more are a signed transaction. */
export const pastedSignature = (text: string): SignedBy | undefined => {
  const bytes = text.trim();
  if (/^0x[0-9a-fA-F]{130}$/.test(bytes)) return { signature: bytes as Hex };
  return /^0x(?:[0-9a-fA-F]{2}){100,}$/.test(bytes) ? { signedTransaction: bytes as Hex } : undefined;
};
