import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { printFromDesk } from './command.ts';
import { onFile, requireDesk, requirePassphrase } from './desk.ts';
import { taking } from './fields.ts';
import { targetArgument } from './words.ts';

interface FollowFlag {
  readonly follow?: string;
}

/** `gasdesk backup`: the vault's passphrase also protects the backup. */
export const backupCommand = taking<'backups.create', FollowFlag>(
  'backup',
  'Write data, vault and settings to one encrypted file, or keep a copy up to date',
  'backups.create',
  {
    // Read when the folders have been checked. The vault's key encrypts a continuous backup.
    passphrase: { read: () => '' },
    file: {
      words:
        '[file]  file to write (default: a file named after the current time, in the folder "backups" of the data folder)',
      send: (file: string) => resolve(file),
    },
    force: 'replace an existing backup; its name must end in .gasdesk-backup',
  },
  async (input, { follow, ...options }) => {
    const { file } = input;
    if (follow !== undefined) {
      if (file !== undefined) throw new InvalidArgumentError('Use either a file or --follow');
      const target = follow === 'off' ? null : follow;
      await printFromDesk(options, (call) => call('backups.follow', { target }));
      return;
    }
    requireDesk(options);
    if (file !== undefined) await onFile(`write the backup ${file}`, () => stat(dirname(file)));
    const passphrase = requirePassphrase(options).reveal();
    await printFromDesk(options, (call) => call('backups.create', { ...input, passphrase }));
  },
)
  .option(
    '--follow <target>',
    'folder or s3://BUCKET/PREFIX in which the service keeps a copy up to date from now on, or "off"',
    (text) => (text === 'off' ? text : targetArgument(text)),
  )
  .addHelpText(
    'after',
    `
Gasdesk continues to decide during a backup. The passphrase (--passphrase-file or $GASDESK_PASSPHRASE) encrypts the file
and unlocks the vault after a restore. "age -d FILE | tar x" opens a backup without Gasdesk.`,
  );
