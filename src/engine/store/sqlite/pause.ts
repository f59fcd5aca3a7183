import type Database from 'better-sqlite3';
import type { Pause, Store } from '../store.ts';

/** The pause of all sponsorship in SQLite. `outdate` lets decisions on their way begin anew. */
export const pauseStore = (
  database: Database.Database,
  outdate: () => void,
): Pick<Store, 'savePause' | 'findPause' | 'resumes'> => {
  const find = database.prepare<[], Pause>('SELECT since, reason FROM sponsorship_pause WHERE only = 1');
  const save = database.prepare<[Pause]>('INSERT OR REPLACE INTO sponsorship_pause VALUES (1, @since, @reason)');
  const remove = database.prepare<[]>('DELETE FROM sponsorship_pause');
  const countResume = database.prepare<[]>('UPDATE sponsorship_resume SET times = times + 1');
  const times = database.prepare<[], number>('SELECT times FROM sponsorship_resume').pluck();
  let resumed = times.get() ?? 0;
  const resume = database.transaction((): void => {
    if (remove.run().changes > 0) countResume.run();
  });
  return {
    async findPause() {
      return find.get() ?? null;
    },
    async resumes() {
      return resumed;
    },
    async savePause(pause) {
      if (pause !== null) save.run(pause);
      else {
        resume();
        resumed = times.get() ?? 0;
        outdate();
      }
    },
  };
};
