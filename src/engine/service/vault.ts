import { EngineError } from '../../shared/errors.ts';
import { noteChange } from '../base/caller.ts';
import { Secret } from '../base/secret.ts';
import { openDeskVault } from '../signer/chain-signer.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Procedures for the vault. Passphrases are neither passed on nor stored. */
export const vaultHandlers = ({ store, vault, vaultKey, log }: ServiceContext): Handlers<NamesOf<'vault'>> => {
  /** Only one change at a time, because the next one needs the passphrase that this one sets. */
  let changed: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    const turn = changed.then(change);
    changed = turn.catch(() => undefined);
    return turn;
  };

  return {
    'vault.open': async ({ passphrase }) => {
      await openDeskVault(store, vault, { passphrase: new Secret(passphrase) });
      // From now on, this machine's key opens the vault too.
      if (vaultKey !== undefined) await vault.setUnlocker({ key: vaultKey });
      return { vault: 'unlocked' };
    },
    'vault.unlockers': () => Promise.resolve(vault.unlockers()),
    'vault.setPassphrase': ({ passphrase, current }) =>
      inTurn(async () => {
        if (vault.state !== 'unlocked') throw new EngineError('VAULT_LOCKED');
        const isChange = vault.unlockers().passphrase;
        if (isChange) {
          // An attacker at an unattended console must not be able to lock out the operator.
          if (current === undefined)
            throw new EngineError('VAULT_PASSPHRASE_WRONG', 'Enter the current passphrase, too');
          await vault.verify({ passphrase: new Secret(current) });
        }
        await vault.setUnlocker({ passphrase: new Secret(passphrase) });
        log.warn('vault.passphrase-set');
        noteChange({ subject: 'vault', id: 'passphrase', before: isChange ? 'set' : null, after: 'set again' });
        return { vault: 'unlocked' };
      }),
  };
};
