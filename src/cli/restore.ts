import { systemClock } from '../engine/base/clock.ts';
import { command } from './command.ts';
import { type DeskOptions, dataPath, requirePassphrase } from './desk.ts';
import { print } from './human-text.ts';

/** `gasdesk restore`: on the files only, while no engine runs on them. */
export const restoreCommand = command('restore', 'Put a backup in the place of what a data folder holds')
  .argument('<file>', 'the backup')
  .addHelpText(
    'after',
    `
The passphrase of the backup comes from --passphrase-file or $GASDESK_PASSPHRASE. Everything is checked before anything
is changed. Where there is a desk in the data folder, a backup of it is made first, with the same passphrase; the vault
in that one still opens with what opened it. What was signed after the backup was made is unknown to the restored desk.`,
  )
  .action(async (file: string, options: DeskOptions) => {
    const passphrase = requirePassphrase(options);
    const { restoreBackup } = await import('../engine/backup/restore.ts');
    const dir = dataPath(options);
    const { manifest, before } = await restoreBackup({ file, passphrase, dir, now: () => systemClock.now() });
    const restored = {
      restored: dir,
      madeAt: manifest.madeAt,
      gasdesk: manifest.gasdesk,
      before: before?.path ?? null,
    };
    const asText = { ...restored, madeAt: new Date(manifest.madeAt).toISOString() };
    print(options.json === true ? restored : asText, options.json === true);
  });
