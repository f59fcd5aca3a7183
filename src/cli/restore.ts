import { join } from 'node:path';
import { systemClock } from '../engine/base/clock.ts';
import { type Config, loadConfig, shownValue } from '../engine/config/config.ts';
import { dataFiles } from '../engine/data-folder/data-folder.ts';
import { EngineError } from '../shared/errors.ts';
import { command } from './command.ts';
import { type DeskOptions, dataPath, databaseFlag, givenPassphrase, requirePassphrase } from './desk.ts';
import { print } from './human-text.ts';
import { terminal } from './terminal.ts';
import { targetArgument, timeArgument } from './words.ts';

/**
 * The settings of a restore. A backup contains files, so it cannot be restored to an external database.
 *
 * @throws EngineError `CONFIG_INVALID` if the settings name one
 */
const settingsFor = (options: DeskOptions): Config => {
  const file = join(dataPath(options), dataFiles.config);
  const config = loadConfig({ flags: databaseFlag(options), env: terminal().env, file });
  const { database } = config;
  if (database === undefined) return config;
  const message = `The data is in ${String(shownValue('database', database))}, where "restore" does not write. Restore into another folder without --database and GASDESK_DATABASE, then run "gasdesk database copy --to ${String(shownValue('database', database))}" on that folder`;
  throw new EngineError('CONFIG_INVALID', message);
};

/** `gasdesk restore`. Works directly on the files, while no engine runs on them. */
export const restoreCommand = command('restore', 'Replace the contents of a data folder with a backup')
  .argument(
    '<file>',
    'backup to restore, or target of a continuous backup: a folder or s3://BUCKET/PREFIX',
    targetArgument,
  )
  .option(
    '--at <time>',
    'restore the newest state of a continuous backup at or before this time, such as 2026-11-26T19:30:00Z',
    timeArgument,
  )
  .option(
    '--since <file>',
    'newest checkpoint, receipt or export that the desk has handed out. If the backup contains it, the log keeps its name and key',
  )
  .addHelpText(
    'after',
    `
The passphrase of the backup comes from --passphrase-file or $GASDESK_PASSPHRASE. Gasdesk checks the whole backup before
it changes anything. If the data folder contains data, Gasdesk first backs it up with the same passphrase; the vault in that
backup keeps its own passphrase. After the restore, Gasdesk does not know the operations that were signed after the backup.`,
  )
  .action(async (file: string, { at, since, ...options }: DeskOptions & { at?: number; since?: string }) => {
    const settings = settingsFor(options);
    const { placeOf } = await import('../engine/continuous-backup/open-target.ts');
    const { requireAgeFile } = await import('../engine/backup/open-backup.ts');
    const { restoreBackup } = await import('../engine/backup/restore.ts');
    const { isCopyTarget } = await import('../engine/backup/unpack-copy.ts');
    // With a wrong file, a passphrase would not help. If there is one, the restore checks the data folder first.
    if (givenPassphrase(options) === undefined && !isCopyTarget(file)) await requireAgeFile(file);
    const passphrase = requirePassphrase(options);
    const dir = dataPath(options);
    const { manifest, before } = await restoreBackup({
      file,
      s3: placeOf(file, settings).s3,
      passphrase,
      dir,
      until: at,
      since,
      now: () => systemClock.now(),
    });
    const restored = {
      restored: dir,
      madeAt: manifest.madeAt,
      gasdesk: manifest.gasdesk,
      before: before?.path ?? null,
    };
    const asText = { ...restored, madeAt: new Date(manifest.madeAt).toISOString() };
    print(options.json === true ? restored : asText, options.json === true);
  });
