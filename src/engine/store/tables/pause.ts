import { CHAIN_BREAKER_REASON } from '../../../shared/words/breaker.ts';
import type { Pause } from '../policy-store.ts';
import type { Access } from '../access.ts';

const SAVE = `INSERT INTO sponsorship_pause ("only", since, reason) VALUES (1, $1, $2)
  ON CONFLICT ("only") DO UPDATE SET since = excluded.since, reason = excluded.reason`;
const END_OF_DAPP = 'DELETE FROM dapp_pause WHERE paymaster_id = $1';
const COUNT_RESUME = 'UPDATE sponsorship_resume SET times = times + 1';
const COUNT_RESUME_OF_DAPP = `INSERT INTO dapp_resume (paymaster_id, times) VALUES ($1, 1)
  ON CONFLICT (paymaster_id) DO UPDATE SET times = dapp_resume.times + 1`;
const OF_CHAIN_BREAKER = `${CHAIN_BREAKER_REASON}%`;
const RESUMES = `SELECT times AS desk, coalesce((SELECT times FROM dapp_resume WHERE paymaster_id = $1), 0) AS dapp
  FROM sponsorship_resume`;

/** Pauses. When a pause ends, pending decisions restart. */
export const pauseStore = ({ rows, write, cache }: Access) => ({
  /** Null while operations are sponsored. */
  async findPause(): Promise<Pause | null> {
    return (await rows.get<Pause>('SELECT since, reason FROM sponsorship_pause')) ?? null;
  },
  async listDappPauses(): Promise<ReadonlyMap<string, Pause>> {
    const found = await rows.all<Pause & { paymasterId: string }>('SELECT paymaster_id, since, reason FROM dapp_pause');
    return new Map(found.map(({ paymasterId, ...pause }) => [paymasterId, pause]));
  },
  /** Number of pauses that have ended: of all sponsorship, and of this DApp alone. */
  resumes: cache.remembered(
    async (paymasterId: string) =>
      (await rows.get<{ desk: number; dapp: number }>(RESUMES, [paymasterId])) ?? { desk: 0, dapp: 0 },
  ),
  /** Ending the pause of all sponsorship also ends those by the breakers of chains, and restarts the counts of all. */
  savePause: (pause: Pause | null): Promise<void> =>
    write(function* (tx) {
      if (pause !== null) yield* tx.run(SAVE, [pause.since, pause.reason]);
      else {
        const ended = yield* tx.run('DELETE FROM sponsorship_pause');
        const resumed = yield* tx.run('DELETE FROM dapp_pause WHERE reason LIKE $1', [OF_CHAIN_BREAKER]);
        if (ended + resumed > 0) yield* tx.run(COUNT_RESUME);
        tx.advanceLedger();
      }
      tx.settingsChanged('desk');
    }),
  /** Ending a pause by the breaker of a chain restarts the counts of all breakers. */
  saveDappPause: (paymasterId: string, pause: Pause | null): Promise<void> =>
    write(function* (tx) {
      if (pause !== null) {
        yield* tx.upsert('dapp_pause', 'paymaster_id, since, reason', { ...pause, paymasterId }, 'paymaster_id');
      } else {
        const tripped = yield* tx.run(`${END_OF_DAPP} AND reason LIKE $2`, [paymasterId, OF_CHAIN_BREAKER]);
        if (tripped > 0) {
          yield* tx.run(COUNT_RESUME);
          tx.settingsChanged('desk');
        }
        const ended = tripped + (yield* tx.run(END_OF_DAPP, [paymasterId]));
        if (ended > 0) yield* tx.run(COUNT_RESUME_OF_DAPP, [paymasterId]);
        tx.advanceLedger();
      }
      tx.settingsChanged({ dapp: paymasterId });
    }),
});
