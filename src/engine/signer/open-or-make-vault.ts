import { EngineError } from '../../shared/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Store } from '../store/store.ts';
import { openDeskVault } from './chain-signer.ts';
import type { Vault } from './vault.ts';

interface VaultUnlockers {
  readonly passphrase?: Secret<string> | undefined;
  readonly vaultKey?: Secret<Uint8Array> | undefined;
}

/** Opens or creates the vault. Do this last, so that no vault is created if the database is refused. */
export const openOrMakeVault = async (
  store: Store,
  vault: Vault,
  { passphrase, vaultKey }: VaultUnlockers,
): Promise<void> => {
  if (passphrase !== undefined && vault.state === 'absent') await openDeskVault(store, vault, { passphrase });
  if (vaultKey === undefined || vault.state === 'unlocked') return;
  await openDeskVault(store, vault, { key: vaultKey }).catch((error: unknown) => {
    if (!(error instanceof EngineError && error.code === 'VAULT_PASSPHRASE_WRONG')) throw error;
  });
};
