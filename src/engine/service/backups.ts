import { Secret } from '../base/secret.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Backups of data, vault and settings. */
export const backupHandlers = ({ backups, clock, log }: ServiceContext): Handlers<NamesOf<'backups'>> => ({
  'backups.create': async ({ file, passphrase, force }) => {
    const started = clock.monotonic();
    const made = await backups.create({ file, passphrase: new Secret(passphrase), force });
    log.info('backup.made', { bytes: made.bytes, ms: Math.round(clock.monotonic() - started) });
    return made;
  },
  'backups.list': async () => ({ folder: backups.folder, backups: backups.list() }),
});
