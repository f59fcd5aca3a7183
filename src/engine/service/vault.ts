import { Secret } from '../secret.ts';
import { openDeskVault } from '../signer/desk-vault.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** The vault. Passphrases go no further than here. */
export const vaultHandlers = ({ store, vault, vaultKey }: ServiceContext): Handlers<NamesOf<'vault'>> => ({
  'vault.open': async ({ passphrase }) => {
    await openDeskVault(store, vault, { passphrase: new Secret(passphrase) });
    // Next time the key of this machine opens it.
    if (vaultKey !== undefined) await vault.setUnlocker({ key: vaultKey });
    return { vault: 'unlocked' };
  },
  'vault.setPassphrase': async ({ passphrase }) => {
    await vault.setUnlocker({ passphrase: new Secret(passphrase) });
    return { vault: 'unlocked' };
  },
});
