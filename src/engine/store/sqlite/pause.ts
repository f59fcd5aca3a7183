import type Database from 'better-sqlite3';
import type { Pause, Store } from '../store.ts';

/** The pause of all sponsorship in SQLite. */
export const pauseStore = (database: Database.Database): Pick<Store, 'savePause' | 'findPause'> => {
  const find = database.prepare<[], Pause>('SELECT since, reason FROM sponsorship_pause WHERE only = 1');
  const save = database.prepare<[Pause]>('INSERT OR REPLACE INTO sponsorship_pause VALUES (1, @since, @reason)');
  const remove = database.prepare<[]>('DELETE FROM sponsorship_pause');
  return {
    async findPause() {
      return find.get() ?? null;
    },
    async savePause(pause) {
      if (pause === null) remove.run();
      else save.run(pause);
    },
  };
};
