import { command, group, printFromDesk } from './command.ts';
import { type DeskOptions, givenPassphrase, secretIn, requirePassphrase } from './desk.ts';
import { calling } from './fields.ts';

/** `gasdesk vault` */
export const vaultCommand = group('vault', 'The vault, which holds the keys', [
  command('status', 'Show whether the vault is unlocked, locked or absent').action((options: DeskOptions) =>
    printFromDesk(options, async (call) => ({ vault: (await call('system.info', {})).vault })),
  ),
  calling('open', 'Unlock the vault of the running service, or create it', 'vault.open', {
    passphrase: { read: (options: DeskOptions) => requirePassphrase(options, 'the vault').reveal() },
  }),
  calling(
    'passphrase',
    'Change the passphrase of the vault, also while the service runs',
    'vault.setPassphrase',
    {
      passphrase: { words: '--new-passphrase-file <file>  file with the new passphrase', send: secretIn },
      current: { read: (options: DeskOptions) => givenPassphrase(options)?.reveal() },
    },
    () => ({ passphrase: 'changed', note: 'Start the service with the new passphrase from now on' }),
  ).addHelpText(
    'after',
    `
The service now reads the passphrase of the vault from --passphrase-file or $GASDESK_PASSPHRASE. Backups, and other copies of
the vault, keep the passphrase they were made with.`,
  ),
]);
