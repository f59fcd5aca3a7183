import type { ProcedureOutput } from '../../../../api/index.ts';
import type { SigningKey } from '../../../../api/keys.ts';
import type { Address, Hex } from '../../../../shared/schema/hex.ts';

export type UnsignedTransaction = ProcedureOutput<'transactions.prepare'>;

/** A wallet that both signs and sends, and that only this page can reach. Both methods reject with a `WalletError`. */
export interface SendingWallet {
  /** Resolves when the wallet can send the transaction, because its account and chain match. */
  ready(transaction: UnsignedTransaction): Promise<void>;
  /** @returns the transaction's hash */
  send(transaction: UnsignedTransaction): Promise<Hex>;
}

/** Who signs: the engine's process, or another program or device. */
export type SignedBy =
  | { readonly key: SigningKey }
  /** The address is the account that was asked to sign, if it is known. */
  | { readonly signature: Hex; readonly address?: Address }
  | { readonly signedTransaction: Hex }
  | { readonly wallet: SendingWallet };

/** What to sign. A transaction can be prepared only when its signer is known. */
export type ToSign =
  | { readonly purpose: 'message'; readonly message: string }
  | { readonly purpose: 'transaction'; readonly unsigned: Hex | undefined };

/** An address that was pasted; undefined if the text is none. */
export const pastedAddress = (text: string): Address | undefined =>
  /^0x[0-9a-fA-F]{40}$/.test(text.trim()) ? (text.trim() as Address) : undefined;

/** Interprets a pasted text by its length: 65 bytes are a signature, more are a signed transaction. */
export const pastedSignature = (text: string): SignedBy | undefined => {
  const bytes = text.trim();
  if (/^0x[0-9a-fA-F]{130}$/.test(bytes)) return { signature: bytes as Hex };
  return /^0x(?:[0-9a-fA-F]{2}){100,}$/.test(bytes) ? { signedTransaction: bytes as Hex } : undefined;
};
