import { leastPassphrase } from '../../shared/least-passphrase.ts';
import { EngineError } from '../../shared/errors.ts';
import { failedBackup } from '../notifications/words.ts';
import { requireOutside } from '../continuous-backup/open-target.ts';
import { POSTGRES } from '../continuous-backup/words.ts';
import { Secret } from '../base/secret.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Codes of errors that mean that a backup was begun and could not be made. */
const FAILURES: ReadonlySet<string> = new Set(['BACKUP_FAILED', 'STORAGE_FAILED', 'DATA_FOLDER_UNUSABLE']);

/** Procedures for backups of data, vault and settings. */
export const backupHandlers = ({
  address,
  backups,
  continuousBackup,
  folder,
  settings,
  vault,
  clock,
  log,
  notifications,
}: ServiceContext): Handlers<NamesOf<'backups'>> => ({
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
    const condition = { kind: 'backup', subject: '' } as const;
    const made = await backups.create({ file, passphrase: secret, force }).catch(async (error: unknown) => {
      // Other errors are about the request: no backup was begun.
      if (error instanceof EngineError && FAILURES.has(error.code))
        await notifications.raise(condition, failedBackup(error.message));
      throw error;
    });
    await notifications.end(condition);
    log.info('backup.made', { bytes: made.bytes, ms: Math.round(clock.monotonic() - started) });
    return made;
  },
  'backups.list': async () => ({
    folder: backups.folder,
    backups: backups.list(),
    continuous: continuousBackup.state(),
  }),
  'backups.follow': async ({ target }) => {
    if (target !== null && settings.config.database !== undefined) throw new EngineError('CONFIG_INVALID', POSTGRES);
    // Such a target never works, so it does not replace one that does.
    if (target !== null) await requireOutside(folder.dir, target);
    settings.set({ key: 'continuousBackup', value: target });
    // Without the service, the copy begins with its next start.
    if (address() === null) return continuousBackup.state();
    const state = await continuousBackup.copyNow();
    if (state.error === null) return state;
    throw new EngineError('BACKUP_FAILED', `${state.error}. The service tries again until you choose another target`);
  },
});
