import type { Store } from '../store/store.ts';
import { fixes } from '../base/fixes.ts';
import { SigningKey, computeAddress } from 'ethers';
import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import type { Secret } from '../base/secret.ts';
import type { Unlocker } from './vault-file.ts';
import type { Vault } from './vault.ts';

export const signerKeyName = (chainId: number): string => `signer.${chainId}`;

export const nextSignerKeyName = (chainId: number): string => `${signerKeyName(chainId)}.next`;

/** The address of the key that signs on a chain. @throws EngineError `SIGNER_MISSING` */
export const requireSigner = async (store: Pick<Store, 'findSigner'>, chainId: number): Promise<Address> => {
  const signer = await store.findSigner(chainId);
  if (signer !== undefined) return signer.address;
  throw new EngineError('SIGNER_MISSING', `Chain ${chainId} has no signer. ${fixes.createSigner(chainId)}`);
};

/** The address of a private key. @throws EngineError `VALIDATION` if the key is zero, or beyond the curve's order */
export const addressOf = (privateKey: string): Address => {
  try {
    return computeAddress(new SigningKey(privateKey)) as Address;
  } catch {
    const message = 'privateKey must be a secp256k1 private key';
    throw new EngineError('VALIDATION', message, { errors: [message] });
  }
};

/**
 * Cache of addresses, because deriving an address takes longer than a decision. The cache works because the vault
 * always returns the same object for a key.
 */
const addresses = new WeakMap<Secret<string>, Address>();
const knownAddressOf = (key: Secret<string>): Address => {
  const address = addresses.get(key) ?? addressOf(key.reveal());
  addresses.set(key, address);
  return address;
};

const keyOfName = (vault: Vault, name: string, signer: Address): Secret<Hex> | undefined => {
  const key = vault.get(name) as Secret<Hex> | undefined;
  return key !== undefined && sameAddress(knownAddressOf(key), signer) ? key : undefined;
};

/**
 * The private key of a chain's signer; undefined if it is not in the vault. While a prepared key becomes the signer, it
 * is still stored as the next key. Keys are found by address, so that no engine signs with a key that does not belong
 * to the recorded signer.
 *
 * @throws EngineError `VAULT_LOCKED`
 */
export const signerKey = (vault: Vault, chainId: number, signer: Address): Secret<Hex> | undefined =>
  keyOfName(vault, signerKeyName(chainId), signer) ?? keyOfName(vault, nextSignerKeyName(chainId), signer);

/**
 * Makes the recorded signers match the keys in an unlocked vault. They differ after a crash between the two writes of a
 * new key, or if the vault comes from elsewhere. The contracts are then verified again. If the next key is already
 * recorded as the signer, it becomes the current key, because other engines sign with it.
 */
export const reconcileSigners = async (
  store: Pick<Store, 'listSigners' | 'saveSigner'>,
  vault: Vault,
): Promise<void> => {
  if (vault.state !== 'unlocked') return;
  for (const { chainId, address } of await store.listSigners()) {
    const key = vault.get(signerKeyName(chainId));
    const next = vault.get(nextSignerKeyName(chainId));
    if (next !== undefined && sameAddress(addressOf(next.reveal()), address)) {
      await vault.set(signerKeyName(chainId), next);
      await vault.delete(nextSignerKeyName(chainId));
    } else if (key !== undefined) {
      const actual = addressOf(key.reveal());
      if (!sameAddress(actual, address)) await store.saveSigner({ chainId, address: actual });
      if (next?.reveal() === key.reveal()) await vault.delete(nextSignerKeyName(chainId));
    }
  }
};

/** Creates a vault, or opens it if another engine has just created it. */
const makeVault = async (vault: Vault, unlocker: Unlocker): Promise<void> => {
  try {
    await vault.create(unlocker);
  } catch (error) {
    if (vault.state !== 'locked') throw error;
    await vault.unlock(unlocker);
  }
};

/**
 * Opens or creates the vault, and makes the recorded signers match its keys.
 *
 * @throws EngineError `VAULT_PASSPHRASE_WRONG`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`
 */
export const openDeskVault = async (
  store: Pick<Store, 'listSigners' | 'saveSigner'>,
  vault: Vault,
  unlocker: Unlocker,
): Promise<void> => {
  if (vault.state === 'absent') await makeVault(vault, unlocker);
  else await vault.unlock(unlocker);
  await reconcileSigners(store, vault);
};
