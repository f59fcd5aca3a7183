import { Option } from 'commander';
import type { CopyOrder } from '../engine/backup/database-copy.ts';
import { systemClock } from '../engine/base/clock.ts';
import { loadConfig, requireNoPassword, shownValue } from '../engine/config/config.ts';
import { EngineError } from '../shared/errors.ts';
import { command, group } from './command.ts';
import { type DeskOptions, dataFolder, requireDesk } from './desk.ts';
import { humanText, print } from './human-text.ts';
import { commandLog, printLine, printNote, terminal } from './terminal.ts';

/** True for a flag without a URL, which stands for the URL in GASDESK_DATABASE or the settings file. */
type UrlFlag = string | true;

interface CopyFlags {
  readonly to?: UrlFlag;
  readonly from?: UrlFlag;
}

/** The data folder and the other database, between which to copy. */
const orderOf = (options: DeskOptions, url: UrlFlag, flag: '--to' | '--from') => {
  // A copy from a database may make the folder.
  if (flag === '--to') requireDesk(options);
  const folder = dataFolder(options);
  if (typeof url === 'string') requireNoPassword(url, flag);
  const flags = typeof url === 'string' ? { database: url } : {};
  const { database } = loadConfig({ flags, env: terminal().env, file: folder.config });
  if (database === undefined) {
    throw new EngineError('VALIDATION', `Name the database: ${flag} postgres://…, or GASDESK_DATABASE`);
  }
  const order: CopyOrder = { dir: folder.dir, url: database, clock: systemClock, log: commandLog('error') };
  return { order, folder: folder.database, database: String(shownValue('database', database)) };
};

const ENGINES_GO_ON =
  'Engines still use that database. Later changes are not in the copy. Let engines sign with only one of the two databases';

const copy = command('copy', 'Copy data, log and vault from the data folder to PostgreSQL, or back')
  .addOption(new Option('--to [url]', 'empty database to copy into, without a password').conflicts('from'))
  .addOption(new Option('--from [url]', 'database to copy from, into a data folder without a database'))
  .addHelpText(
    'after',
    `
Copies data, log and vault, and compares every row. Stop the service first. Put a password into GASDESK_DATABASE
(which --to and --from use if they have no URL), into PGPASSWORD or into a password file. Settings and local keys stay in the
data folder.`,
  )
  .action(async ({ to, from, database: other, ...options }: DeskOptions & CopyFlags) => {
    const url = to ?? from;
    if (url === undefined || other !== undefined) {
      throw new EngineError('VALIDATION', 'Name the database with --to or --from');
    }
    const { order, folder, database } = orderOf(options, url, to === undefined ? '--from' : '--to');
    const { copyIntoDatabase, copyOutOfDatabase } = await import('../engine/backup/database-copy.ts');
    const copied =
      to === undefined ? await copyOutOfDatabase(order) : { ...(await copyIntoDatabase(order)), engines: 0 };
    const [source, target] = to === undefined ? [database, folder] : [folder, database];
    const sides = [
      { database: source, ...copied.source },
      { database: target, ...copied.copy },
    ];
    if (options.json === true) print({ from: sides[0], to: sides[1], sameRoot: true, engines: copied.engines }, true);
    else printLine(`${humanText(sides)}\n\nThe copy has the same root.`);
    if (copied.engines > 0) printNote(`gasdesk: ${ENGINES_GO_ON}`);
  });

/** `gasdesk database` */
export const databaseCommand = group('database', 'The database of Gasdesk', [copy]);
