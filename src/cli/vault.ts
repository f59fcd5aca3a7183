import { command, group, printFromDesk } from './command.ts';
import { type DeskOptions, givenPassphrase, readSecretFile, requirePassphrase } from './desk.ts';

const open = command('open', 'Open the vault of the running service, or create it').action((options: DeskOptions) => {
  const passphrase = requirePassphrase(options, 'the vault').reveal();
  return printFromDesk(options, (call) => call('vault.open', { passphrase }));
});

const setPassphrase = command('passphrase', 'Change the passphrase of the vault, also while the service runs')
  .requiredOption('--new-passphrase-file <file>', 'file with the new passphrase')
  .addHelpText(
    'after',
    `
The passphrase that opens the vault now comes from --passphrase-file or $GASDESK_PASSPHRASE. Backups, and other copies of
the vault, still open with the one they were made with.`,
  )
  .action(({ newPassphraseFile, ...options }: DeskOptions & { newPassphraseFile: string }) => {
    const passphrase = readSecretFile(newPassphraseFile).reveal();
    const current = givenPassphrase(options)?.reveal();
    return printFromDesk(options, async (call) => {
      await call('vault.setPassphrase', { passphrase, ...(current !== undefined && { current }) });
      return { passphrase: 'changed', note: 'Start the service with the new passphrase from now on' };
    });
  });

/** `gasdesk vault` */
export const vaultCommand = group('vault', 'The vault, which holds the keys', [open, setPassphrase]);
