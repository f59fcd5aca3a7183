import { readCheckpoint } from '../../core/log/checkpoint.ts';
import { EngineError } from '../../shared/errors.ts';
import { grouped } from '../../shared/words/amount.ts';
import { systemClock } from '../base/clock.ts';
import { createLog } from '../base/log.ts';
import { checkpointIn } from '../log/verify-log.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';

/**
 * Requires that the log in a restored database contains what a checkpoint proves.
 *
 * @param since a file with a checkpoint, a receipt or an export
 * @throws EngineError `LOG_ROLLED_BACK`; `EXPORT_INVALID` if the file contains no checkpoint
 */
export const requireContinues = async (database: string, since: string): Promise<void> => {
  const head = readCheckpoint(await checkpointIn(since));
  const store = openSqliteStore(database, { clock: systemClock, log: createLog({ level: 'silent' }) });
  try {
    const refuse = (words: string): EngineError =>
      new EngineError(
        'LOG_ROLLED_BACK',
        `${words}. Without --since, Gasdesk restores it as a log with another name and key`,
      );
    const origin = `gasdesk/${await store.deskId()}`;
    if (head?.origin !== origin) throw refuse(`${since} is of another log than the backup, which has ${origin}`);
    const size = await store.logSize();
    if (size < head.size) {
      throw refuse(`The backup has ${grouped(size)} log entries, and ${since} proves ${grouped(head.size)}`);
    }
    const { root } = await store.logHead(head.size);
    if (Buffer.compare(root, head.root) !== 0)
      throw refuse(`The log in the backup is not the one that ${since} proves`);
  } finally {
    await store.close();
  }
};
