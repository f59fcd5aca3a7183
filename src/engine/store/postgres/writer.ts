import type pg from 'pg';
import type { Clock } from '../../base/clock.ts';
import { currentCall } from '../../base/caller.ts';
import type { CommittedPart } from '../database.ts';
import { createLogWriter, type LogWriter } from './log-writer.ts';
import { takeChanges } from './operator-changes.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { StoreWatch } from '../store-watch.ts';
import type { DeskHead } from './desk-head.ts';
import { storeError } from './errors.ts';
import { type Rows, rowsOf } from './rows.ts';
import { type ChangedScope, type SettingsCache, scopeText } from './settings-cache.ts';

/** A transaction without any other writer. */
export interface Transaction extends Rows {
  readonly head: DeskHead;
  readonly log: LogWriter;
  /** Reports a change to settings in this scope that decisions depend on: pending decisions restart. */
  readonly settingsChanged: (scope: ChangedScope) => void;
  /** Reports new or changed decisions to their followers. */
  readonly decisionsChanged: () => void;
  readonly vaultChanged: () => void;
  readonly changedScopes: ReadonlySet<string>;
  /** Makes pending decisions read everything again. */
  readonly advanceLedger: () => void;
}

/** Writes in one transaction after another, over all engines, since each transaction first locks the same row. */
export interface Writer {
  /** @returns what `write` returned, once it is durable; if it throws, everything is undone */
  run<T>(write: (writing: Transaction) => Promise<T>): Promise<T>;
  /** The last known version of the ledger. Never newer than the ledger itself. */
  ledgerVersion(): Promise<number>;
}

/** How a store reads, writes, and caches settings. */
export interface Access {
  /** Reads outside of any transaction. */
  readonly rows: Rows;
  readonly writer: Writer;
  readonly cache: SettingsCache;
}

/** Channel on which engines report their commits to each other. */
export const CHANNEL = 'gasdesk';

const HEAD = `ledger_version AS "ledgerVersion", settings_changes AS "settingsChanges", decisions,
  accounts, log_size AS "logSize", log_at AS "logAt", log_hash AS "logHash"`;

/** Locks the row, and passes the triggers the call that makes the changes. */
const LOCK = `SELECT ${HEAD}, set_config('gasdesk.call', $1, true) FROM desk_head FOR UPDATE`;

const SAVE_HEAD = `UPDATE desk_head SET ledger_version = $1, settings_changes = $2, decisions = $3, accounts = $4,
  log_size = $5, log_at = $6, log_hash = $7`;

const COUNT_CHANGES = `INSERT INTO settings_version SELECT unnest($1::text[]), 1
  ON CONFLICT (scope) DO UPDATE SET version = settings_version.version + 1`;

const rolledBack = (client: pg.PoolClient): Promise<boolean> =>
  client.query('ROLLBACK').then(
    () => true,
    () => false,
  );

interface WriterOptions {
  readonly pool: pg.Pool;
  readonly cache: SettingsCache;
  readonly clock: Clock;
  /** This engine's number, which identifies it to the others. */
  readonly engine: number;
  readonly onLogEnd: StoreWatch['onLogEnd'];
}

/** Writes for one engine, on one connection. */
export const createWriter = ({ pool, cache, clock, engine, onLogEnd }: WriterOptions): Writer => {
  let ledgerVersion: number | undefined;
  let logSize = 0;
  let isStarted = false;

  const seen = (head: DeskHead): void => {
    ledgerVersion = head.ledgerVersion;
    logSize = head.logSize;
    const known = cache.knownChanges();
    if (known !== undefined && known !== head.settingsChanges) cache.clear();
  };

  const transact = async <T>(client: pg.PoolClient, write: (writing: Transaction) => Promise<T>): Promise<T> => {
    const rows = rowsOf(client);
    // Independent of the database's own level: a writer that has waited for the lock sees what was written meanwhile.
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const head = await rows.get<DeskHead>(LOCK, [JSON.stringify(currentCall())]);
    if (head === undefined) throw new Error('The database has no row of its own to lock.');
    // An older state of the database was put in its place.
    if (head.logSize < logSize) throw new EngineError('LOG_ROLLED_BACK');
    const [before, first] = [JSON.stringify(head), head.logSize];
    const topics = new Set<CommittedPart>();
    const changedScopes = new Set<string>();
    const log = await createLogWriter({ rows, head, clock, isStarted });
    const writing: Transaction = {
      ...rows,
      head,
      log,
      changedScopes,
      settingsChanged(scope) {
        changedScopes.add(scopeText(scope));
        topics.add('settings');
      },
      decisionsChanged: () => void topics.add('decisions'),
      vaultChanged: () => void topics.add('vault'),
      advanceLedger() {
        head.ledgerVersion += 1;
      },
    };
    const result = await write(writing);
    for (const { action, via, by, changes } of await takeChanges(rows)) {
      log.append('action', { action, via, by, changes: [...changes] });
    }
    await log.flush();
    if (changedScopes.size > 0) {
      head.settingsChanges += 1;
      await rows.run(COUNT_CHANGES, [[...changedScopes]]);
    }
    if (JSON.stringify(head) !== before) {
      await rows.run(SAVE_HEAD, [
        head.ledgerVersion,
        head.settingsChanges,
        head.decisions,
        head.accounts,
        head.logSize,
        head.logAt,
        head.logHash,
      ]);
    }
    for (const topic of topics) await rows.run('SELECT pg_notify($1, $2)', [CHANNEL, `${engine} ${topic}`]);
    await client.query('COMMIT');
    isStarted = log.isStarted();
    // This engine's cached settings are out of date.
    if (changedScopes.size > 0) cache.clear();
    const hasGrown = head.logSize > first;
    seen(head);
    if (hasGrown) onLogEnd?.({ size: head.logSize, hash: head.logHash?.toString('hex') ?? '' });
    return result;
  };

  const run = async <T>(write: (writing: Transaction) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let isBroken = false;
    try {
      return await transact(client, write);
    } catch (error) {
      // Closing the connection rolls back too, without waiting for an unreachable server.
      isBroken = storeError(error) !== error || !(await rolledBack(client));
      throw error;
    } finally {
      client.release(isBroken);
    }
  };
  return {
    run,
    async ledgerVersion() {
      ledgerVersion ??= (await rowsOf(pool).get<DeskHead>(`SELECT ${HEAD} FROM desk_head`))?.ledgerVersion ?? 0;
      return ledgerVersion;
    },
  };
};
