import type Database from 'better-sqlite3';
import type { Pause, PauseStore } from '../policy-store.ts';
import type { SettingsVersion } from './memory.ts';

/** `advanceLedger` makes pending decisions restart. */
export const pauseStore = (
  database: Database.Database,
  advanceLedger: () => void,
  { deskChanged, dappChanged }: Pick<SettingsVersion, 'deskChanged' | 'dappChanged'>,
): PauseStore => {
  const find = database.prepare<[], Pause>('SELECT since, reason FROM sponsorship_pause WHERE only = 1');
  const save = database.prepare<[Pause]>('INSERT OR REPLACE INTO sponsorship_pause VALUES (1, @since, @reason)');
  const remove = database.prepare<[]>('DELETE FROM sponsorship_pause');
  const countResume = database.prepare<[]>('UPDATE sponsorship_resume SET times = times + 1');
  const times = database.prepare<[], number>('SELECT times FROM sponsorship_resume').pluck();
  const list = database.prepare<[], Pause & { paymasterId: string }>(
    'SELECT paymaster_id AS paymasterId, since, reason FROM dapp_pause',
  );
  const saveOf = database.prepare<[Pause & { paymasterId: string }]>(
    'INSERT OR REPLACE INTO dapp_pause VALUES (@paymasterId, @since, @reason)',
  );
  const removeOf = database.prepare<[string]>('DELETE FROM dapp_pause WHERE paymaster_id = ?');
  const countResumeOf = database.prepare<[string]>(
    'INSERT INTO dapp_resume VALUES (?, 1) ON CONFLICT DO UPDATE SET times = times + 1',
  );
  const timesOf = database.prepare<[], [string, number]>('SELECT paymaster_id, times FROM dapp_resume').raw();

  // Every decision under a breaker reads these.
  let resumed = times.get() ?? 0;
  let resumedOf = new Map(timesOf.all());
  const resume = database.transaction((): void => {
    if (remove.run().changes > 0) countResume.run();
  });
  const resumeDapp = database.transaction((paymasterId: string): void => {
    if (removeOf.run(paymasterId).changes > 0) countResumeOf.run(paymasterId);
  });
  return {
    async findPause() {
      return find.get() ?? null;
    },
    async listDappPauses() {
      return new Map(list.all().map(({ paymasterId, ...pause }) => [paymasterId, pause]));
    },
    async resumes(paymasterId) {
      return { desk: resumed, dapp: resumedOf.get(paymasterId) ?? 0 };
    },
    async savePause(pause) {
      if (pause !== null) save.run(pause);
      else {
        resume();
        resumed = times.get() ?? 0;
        advanceLedger();
      }
      deskChanged();
    },
    async saveDappPause(paymasterId, pause) {
      if (pause !== null) saveOf.run({ ...pause, paymasterId });
      else {
        resumeDapp(paymasterId);
        resumedOf = new Map(timesOf.all());
        advanceLedger();
      }
      dappChanged(paymasterId);
    },
  };
};
