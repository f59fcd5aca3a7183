import type Database from 'better-sqlite3';
import { acceptedRollback, calledBefore } from '../accepted-rollback.ts';
import { LOG_SIZE } from '../log-rows.ts';
import type { LogStore } from '../log-store.ts';
import type { GroupCommit } from './group-commit.ts';
import type { LogWriter } from './log.ts';

/** Continues from an older state of the log. */
export const rollbackStore = (
  database: Database.Database,
  log: LogWriter,
  commit: GroupCommit,
): Pick<LogStore, 'wasCalled' | 'acceptRollback'> => {
  const desk = database.prepare<[], string>('SELECT desk_id FROM desk').pluck();
  const size = database.prepare<[], number>(`SELECT ${LOG_SIZE}`).pluck();
  return {
    async wasCalled(deskId) {
      // Queried at most once, when an engine starts.
      const renamed = database.prepare<[string], number>(
        `SELECT 1 FROM log_entry WHERE kind = 'action' AND instr(body, ?) > 0`,
      );
      return renamed.get(calledBefore(deskId)) !== undefined;
    },
    acceptRollback: (written) =>
      commit.run(() => {
        const before = desk.get() ?? '';
        const entries = size.get() ?? 0;
        database.prepare('UPDATE desk SET desk_id = lower(hex(randomblob(16)))').run();
        database.prepare('DELETE FROM log_checkpoint').run();
        log.append('action', acceptedRollback({ before, after: desk.get() ?? '', entries, written }));
      }),
  };
};
