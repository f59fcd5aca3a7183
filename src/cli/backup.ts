import { resolve } from 'node:path';
import { command, printFromDesk } from './command.ts';
import { type DeskOptions, requirePassphrase } from './desk.ts';

/** `gasdesk backup`: the passphrase of the vault is that of the backup, too. */
export const backupCommand = command('backup', 'Write data, vault and settings to one encrypted file')
  .argument('[file]', 'the backup (default: one named by the time, in the folder "backups" of the data folder)')
  .option('--force', 'replace the backup of this name, which has to end in .gasdesk-backup')
  .addHelpText(
    'after',
    `
The desk goes on working meanwhile. The passphrase, from --passphrase-file or $GASDESK_PASSPHRASE, encrypts the file;
after a restore, it is what opens the vault. "age -d FILE | tar x" opens a backup without Gasdesk.`,
  )
  .action((file: string | undefined, { force = false, ...options }: DeskOptions & { force?: boolean }) => {
    const passphrase = requirePassphrase(options).reveal();
    const where = file === undefined ? {} : { file: resolve(file) };
    return printFromDesk(options, (call) => call('backups.create', { ...where, passphrase, force }));
  });
