import { resolve } from 'node:path';
import { command, printFromDesk } from './command.ts';
import { type DeskOptions, requirePassphrase } from './desk.ts';

/** `gasdesk backup`: the passphrase of the vault is that of the backup, too. */
export const backupCommand = command('backup', 'Write data, vault and settings to one encrypted file')
  .argument('[file]', 'file to write (default: a name made from the time, in the folder "backups" of the data folder)')
  .option('--force', 'replace an existing backup; its name must end in .gasdesk-backup')
  .addHelpText(
    'after',
    `
The desk keeps working during a backup. The passphrase (--passphrase-file or $GASDESK_PASSPHRASE) encrypts the file
and opens the vault after a restore. "age -d FILE | tar x" opens a backup without Gasdesk.`,
  )
  .action((file: string | undefined, { force = false, ...options }: DeskOptions & { force?: boolean }) => {
    const passphrase = requirePassphrase(options).reveal();
    const where = file === undefined ? {} : { file: resolve(file) };
    return printFromDesk(options, (call) => call('backups.create', { ...where, passphrase, force }));
  });
