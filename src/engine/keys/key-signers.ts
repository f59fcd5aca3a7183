import type { Transaction } from 'ethers';
import type { SigningKey } from '../../shared/contract/keys.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';

/** One key of the operator: a keystore that is opened for each use, or an account of a wallet on this machine. */
export interface KeySigner {
  readonly address: Address;
  /** Signs as an EIP-191 personal message. What is answered was made by {@link address}. @throws EngineError */
  signMessage(text: string): Promise<Hex>;
  /** Signs the transaction, or has the wallet sign and send it: then there is only its hash. @throws EngineError */
  transact(unsigned: Transaction): Promise<{ signed: Hex } | { hash: Hex }>;
}

/** Finds who signs. */
export interface KeySigners {
  of(key: SigningKey): KeySigner;
}
