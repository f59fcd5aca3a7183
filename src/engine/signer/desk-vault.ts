import type { Store } from '../store/store.ts';
import { reconcileSigners } from './chain-signer.ts';
import type { Unlocker, Vault } from './vault.ts';

/**
 * Opens the vault of a desk, or makes it where there is none; the recorded signers then agree with its keys.
 *
 * @throws EngineError `VAULT_PASSPHRASE_WRONG`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`
 */
export const openDeskVault = async (
  store: Pick<Store, 'listSigners' | 'saveSigner'>,
  vault: Vault,
  unlocker: Unlocker,
): Promise<void> => {
  if (vault.state === 'absent') await vault.create(unlocker);
  else await vault.unlock(unlocker);
  await reconcileSigners(store, vault);
};
