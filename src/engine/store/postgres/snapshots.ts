import type pg from 'pg';
import type { Snapshots } from '../snapshots.ts';
import { LOG_SIZE } from '../log-rows.ts';
import { openDatabase } from '../sqlite/open.ts';
import { LAST_ACCOUNT } from '../tables/ledger.ts';
import { withConnection } from './connection.ts';
import { copyToSqlite } from './copy.ts';
import { type Rows, runSteps } from './rows.ts';
import type { Writer } from './writer.ts';

/** Expected value of each counter in the row of `desk_head`. */
const COUNTERS = `SELECT name, counted, found FROM desk_head, LATERAL (VALUES
    ('decisions', decisions, (SELECT count(*) FROM decision)),
    ('accounts', accounts, ${LAST_ACCOUNT}),
    ('entries of the log', log_size, ${LOG_SIZE})
  ) AS counter (name, counted, found)`;

interface SnapshotSources {
  readonly rows: Rows;
  readonly writer: Writer;
  readonly config: pg.ClientConfig;
}

export const snapshotStore = ({ rows, writer, config }: SnapshotSources): Snapshots => ({
  async copyTo(file, signal) {
    await withConnection(config, async (client) => {
      const database = openDatabase(file);
      try {
        await copyToSqlite(client, database, signal);
        // One file, without a write-ahead log next to it.
        database.pragma('journal_mode = DELETE');
      } finally {
        database.close();
      }
    });
  },
  async schemaVersion() {
    return (await rows.get<{ version: number }>('SELECT max(version) AS version FROM gasdesk_schema'))?.version ?? 0;
  },
  async databaseBytes() {
    const found = await rows.get<{ bytes: string }>('SELECT pg_database_size(current_database())::text AS bytes');
    return BigInt(found?.bytes ?? 0);
  },
  tryWrite: () =>
    writer.run(async (tx) => {
      await runSteps(tx.run('UPDATE desk SET desk_id = desk_id'));
    }),
  // PostgreSQL checkpoints by itself.
  setCheckpoints: async () => undefined,
  async integrityFaults() {
    const counters = await rows.all<{ name: string; counted: number; found: number | null }>(COUNTERS);
    return counters
      .filter(({ counted, found }) => counted < (found ?? 0))
      .map(({ name, counted, found }) => `The desk counts ${counted} ${name}, and the newest is ${found ?? 0}.`);
  },
});
