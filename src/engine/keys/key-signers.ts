import type { Transaction } from 'ethers';
import type { SigningKey } from '../../api/keys.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { Keystores } from './keystores.ts';
import { checksummed } from './message-proof.ts';
import type { Wallets } from './wallets.ts';

/** One key of the operator: a keystore that is opened for each use, or an account in a wallet on this machine. */
export interface KeySigner {
  /** The key's address, in checksum letter case. */
  readonly address: Address;
  /**
   * Signs a text as an EIP-191 personal message. Every returned signature has been verified to be by {@link address}.
   *
   * @throws EngineError
   */
  signMessage(text: string): Promise<Hex>;
  /**
   * Signs the transaction. A wallet may also send it, and then returns only its hash.
   *
   * @throws EngineError `KEYSTORE_NOT_FOUND`, `KEYSTORE_INVALID`, `KEYSTORE_PASSWORD_WRONG`, `WALLET_UNREACHABLE` or
   *   `SIGNING_REFUSED`
   */
  transact(unsigned: Transaction): Promise<{ signed: Hex } | { hash: Hex }>;
}

export interface KeySigners {
  of(key: SigningKey): KeySigner;
}

interface KeyHolders {
  readonly keystores: Pick<Keystores, 'use'>;
  readonly wallets: Pick<Wallets, 'signMessage' | 'transact'>;
}

/** The only way to use the operator's keys, for keystores and wallets alike. */
export const createKeySigners = ({ keystores, wallets }: KeyHolders): KeySigners => ({
  of(key) {
    const address = checksummed(key.address);
    if (key.kind === 'wallet') {
      return {
        address,
        signMessage: (text) => wallets.signMessage(key, text),
        transact: (unsigned) => wallets.transact(key, unsigned),
      };
    }
    return {
      address,
      signMessage: (text) =>
        keystores.use(address, key.password, async (wallet) => (await wallet.signMessage(text)) as Hex),
      transact: (unsigned) =>
        keystores.use(address, key.password, async (wallet) => ({
          signed: (await wallet.signTransaction(unsigned)) as Hex,
        })),
    };
  },
});
