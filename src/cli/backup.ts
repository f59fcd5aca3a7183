import { resolve } from 'node:path';
import { type DeskOptions, requirePassphrase } from './desk.ts';
import { calling } from './fields.ts';

/** `gasdesk backup`: the vault's passphrase also protects the backup. */
export const backupCommand = calling(
  'backup',
  'Write data, vault and settings to one encrypted file',
  'backups.create',
  {
    passphrase: { read: (options: DeskOptions) => requirePassphrase(options).reveal() },
    file: {
      words:
        '[file]  file to write (default: a file named after the current time, in the folder "backups" of the data folder)',
      send: (file: string) => resolve(file),
    },
    force: 'replace an existing backup; its name must end in .gasdesk-backup',
  },
).addHelpText(
  'after',
  `
Gasdesk continues to decide during a backup. The passphrase (--passphrase-file or $GASDESK_PASSPHRASE) encrypts the file
and unlocks the vault after a restore. "age -d FILE | tar x" opens a backup without Gasdesk.`,
);
