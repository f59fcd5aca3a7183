import type pg from 'pg';
import type { Clock } from '../../base/clock.ts';
import { currentCall } from '../../base/caller.ts';
import type { CommittedPart } from '../database.ts';
import type { DeskHead as Head } from '../desk-head.ts';
import { takeChanges } from '../operator-changes.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { Transaction as CommonTransaction } from '../access.ts';
import { step, stepsOf } from '../rows.ts';
import type { StoreWatch } from '../store-watch.ts';
import { createPending } from '../tables/pending.ts';
import { storeError } from './errors.ts';
import { type Rows, rowsOf, runSteps } from './rows.ts';
import { type SettingsVersions, scopeText, versionOf } from '../settings-cache.ts';
import { type SettingsCache, readVersions } from './settings-cache.ts';

/** A transaction during which no other writer runs. */
export interface Transaction extends CommonTransaction {
  readonly vaultChanged: () => void;
}

/**
 * Runs write transactions one after the other, across all engines, because each transaction first locks the same row.
 */
export interface Writer {
  /** Runs a write. @returns the result of `write`, once it is durable; if `write` throws, everything is undone */
  run<T>(write: (tx: Transaction) => Promise<T>): Promise<T>;
  /** The last known version of the ledger. Never newer than the ledger itself. */
  ledgerVersion(): Promise<number>;
}

/** Channel on which engines report their commits to each other. */
export const CHANNEL = 'gasdesk';

/** The row that every write locks. */
interface DeskHead extends Head {
  settingsChanges: number;
  /** Number of decisions. */
  decisions: number;
}

const HEAD = `ledger_version AS "ledgerVersion", settings_changes AS "settingsChanges", decisions,
  accounts, log_size AS "logSize", log_at AS "logAt", log_hash AS "logHash"`;

/** Locks the row, and passes to the triggers which call makes the changes. */
const LOCK = `SELECT ${HEAD}, set_config('gasdesk.call', $1, true) FROM desk_head FOR UPDATE`;

const SAVE_HEAD = `UPDATE desk_head SET ledger_version = $1, settings_changes = $2, decisions = $3, accounts = $4,
  log_size = $5, log_at = $6, log_hash = $7`;

const COUNT_CHANGES = `INSERT INTO settings_version SELECT unnest($1::text[]), 1
  ON CONFLICT (scope) DO UPDATE SET version = settings_version.version + 1`;

const NOTIFY = `SELECT pg_notify('${CHANNEL}', $1 || ' ' || topic) FROM unnest($2::text[]) AS changed (topic)`;

const rolledBack = (client: pg.PoolClient): Promise<boolean> =>
  client.query('ROLLBACK').then(
    () => true,
    () => false,
  );

interface WriterOptions {
  /** The connection accepts statements before it has answered earlier ones. */
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
  /** The end of the log when this engine last wrote to it. */
  let end = { size: 0, hash: '' };
  const head: DeskHead = {
    ledgerVersion: 0,
    settingsChanges: 0,
    decisions: 0,
    accounts: 0,
    logSize: 0,
    logAt: 0,
    logHash: null,
  };
  const pending = createPending(head, { clock, entersHashes: true });
  const hashOf = ({ logHash }: DeskHead): string => logHash?.toString('hex') ?? '';

  const lock = async (client: pg.PoolClient, rows: Rows): Promise<void> => {
    const call = JSON.stringify(currentCall());
    const [, locked] = await Promise.all([
      // The isolation level does not depend on the database's default: a writer that has waited for the lock sees what
      // was written meanwhile.
      client.query('BEGIN ISOLATION LEVEL READ COMMITTED'),
      rows.get<DeskHead>(LOCK, [call]),
    ]);
    if (locked === undefined) throw new Error('The database has no row of its own to lock.');
    // The database was replaced by an older state of itself.
    if (locked.logSize < end.size) throw new EngineError('LOG_ROLLED_BACK');
    const { ledgerVersion: version, settingsChanges, decisions, accounts, logSize, logAt, logHash } = locked;
    Object.assign(head, { ledgerVersion: version, settingsChanges, decisions, accounts, logSize, logAt, logHash });
    // Every write appends an entry to the log. If the log has not changed, the data that this engine has in memory is
    // current.
    if (hashOf(head) !== end.hash) pending.undone();
  };

  const transact = async <T>(
    client: pg.PoolClient,
    write: (tx: Transaction) => Promise<T>,
    sent: Promise<unknown>[],
  ): Promise<T> => {
    const rows = rowsOf(client);
    await lock(client, rows);
    const [first, firstVersion] = [head.logSize, head.ledgerVersion];
    /** Sends a statement together with the statements after it. */
    const send = (statement: Promise<unknown>): void => {
      sent.push(statement);
      statement.catch(() => undefined);
    };
    const topics = new Set<CommittedPart>();
    const changedScopes = new Set<string>();
    const operators = { mayHaveChanged: false };
    const steps = stepsOf({
      ...rows,
      run(sql, values) {
        operators.mayHaveChanged = true;
        return rows.run(sql, values);
      },
      get(sql, values) {
        operators.mayHaveChanged = true;
        return rows.get(sql, values);
      },
      writeMany(writes) {
        send(rows.writeMany(writes));
      },
    });
    let before: SettingsVersions | undefined;
    /** If this transaction has changed a scope, the version of the scope is one higher. */
    const versions = async (): Promise<SettingsVersions> => {
      before ??= cache.knownChanges() === head.settingsChanges ? await cache.versions() : await readVersions(rows);
      const { of } = before;
      const advanced = [...changedScopes].map((scope) => [scope, (of.get(scope) ?? 0) + 1] as const);
      return { ...before, of: new Map([...of, ...advanced]) };
    };
    await runSteps(pending.log.begin(steps));
    const result = await write({
      ...steps,
      ...pending.writing(steps),
      settingsVersion: (scope) => step(async () => versionOf(await versions(), scope)),
      settingsChanged(scope) {
        changedScopes.add(scopeText(scope));
        topics.add('settings');
      },
      decisionsChanged: () => void topics.add('decisions'),
      vaultChanged: () => void topics.add('vault'),
      // The hashes of decisions are written with them.
      enterHashes: () => step(() => true),
    });
    if (operators.mayHaveChanged) {
      for (const action of await runSteps(takeChanges(steps))) pending.log.append('action', action);
    }
    if (pending.added() > 0) topics.add('decisions');
    head.decisions += pending.added();
    await runSteps(pending.save(steps));
    if (changedScopes.size > 0) {
      head.settingsChanges += 1;
      send(rows.run(COUNT_CHANGES, [[...changedScopes]]));
    }
    const { settingsChanges, decisions, accounts, logSize, logAt, logHash } = head;
    if (logSize > first || head.ledgerVersion > firstVersion || changedScopes.size > 0) {
      send(rows.run(SAVE_HEAD, [head.ledgerVersion, settingsChanges, decisions, accounts, logSize, logAt, logHash]));
    }
    if (topics.size > 0) send(rows.run(NOTIFY, [engine, [...topics]]));
    send(client.query('COMMIT'));
    await Promise.all(sent);
    // This engine's cached settings are out of date.
    if (changedScopes.size > 0 || ![undefined, settingsChanges].includes(cache.knownChanges())) cache.clear();
    ledgerVersion = head.ledgerVersion;
    end = { size: logSize, hash: hashOf(head) };
    if (logSize > first) onLogEnd?.(end);
    return result;
  };

  const run = async <T>(write: (tx: Transaction) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    const sent: Promise<unknown>[] = [];
    let isBroken = false;
    try {
      return await transact(client, write, sent);
    } catch (error) {
      pending.undone(end.size);
      // After a statement has failed, the errors of later statements only say that the transaction has failed.
      const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
      const cause: unknown = failed?.status === 'rejected' ? failed.reason : error;
      // Closing the connection also rolls back, without waiting for a server that is unreachable.
      isBroken = storeError(cause) !== cause || !(await rolledBack(client));
      throw cause;
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
