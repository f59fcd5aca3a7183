import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { printFromDesk } from './command.ts';
import { type DeskOptions, requirePassphrase } from './desk.ts';
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
    // The vault's key encrypts a continuous backup.
    passphrase: {
      read: (options: DeskOptions & FollowFlag) =>
        options.follow === undefined ? requirePassphrase(options).reveal() : '',
    },
    file: {
      words:
        '[file]  file to write (default: a file named after the current time, in the folder "backups" of the data folder)',
      send: (file: string) => resolve(file),
    },
    force: 'replace an existing backup; its name must end in .gasdesk-backup',
  },
  (input, { follow, ...options }) =>
    printFromDesk(options, (call) => {
      if (follow === undefined) return call('backups.create', input);
      if (input.file !== undefined) throw new InvalidArgumentError('Use either a file or --follow');
      return call('backups.follow', { target: follow === 'off' ? null : follow });
    }),
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
