import { leastPassphrase } from '../../shared/least-passphrase.ts';
import { EngineError } from '../../shared/errors.ts';
import { Secret } from '../base/secret.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Procedures for backups of data, vault and settings. */
export const backupHandlers = ({ backups, vault, clock, log }: ServiceContext): Handlers<NamesOf<'backups'>> => ({
  'backups.create': async ({ file, passphrase, force }) => {
    const started = clock.monotonic();
    const secret = new Secret(passphrase);
    // The vault's passphrase is accepted for a backup, whatever its length. Any other passphrase must have the minimum
    // length.
    if (passphrase.length < leastPassphrase) {
      await vault.verify({ passphrase: secret }).catch((cause: unknown) => {
        const message = `passphrase must have at least ${leastPassphrase} characters, or be the passphrase of the vault`;
        throw new EngineError('VALIDATION', message, {}, { cause });
      });
    }
    const made = await backups.create({ file, passphrase: secret, force });
    log.info('backup.made', { bytes: made.bytes, ms: Math.round(clock.monotonic() - started) });
    return made;
  },
  'backups.list': async () => ({ folder: backups.folder, backups: backups.list() }),
});
