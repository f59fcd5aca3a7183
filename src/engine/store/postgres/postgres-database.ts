import { EngineError } from '../../../shared/errors.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Secret } from '../../base/secret.ts';
import type { CommittedPart, DeskDatabase } from '../database.ts';
import { storeOf, watched } from '../store.ts';
import type { StoreWatch } from '../store-watch.ts';
import { releaseHolds } from '../tables/holds.ts';
import { accessOf } from './access.ts';
import { closable, configOf, poolOf, readingConfig } from './connection.ts';
import { openingError, storeError } from './errors.ts';
import { createSchema } from './create-schema.ts';
import { type Rows, rowsOf, runSteps } from './rows.ts';
import { type Session, joinEngines } from './session.ts';
import { createSettingsCache } from './settings-cache.ts';
import { snapshotStore } from './snapshots.ts';
import { createVaultStorage } from './vault-storage.ts';
import { type Writer, createWriter } from './writer.ts';

/**
 * Maximum number of read connections. If all requests of an engine wait for the database, more connections do not help.
 */
const READERS = 8;

/** How long the server may take to close the connections, which wait for it. */
const CLOSE_MS = 5_000;

/** An engine that has been missing for this long is dead: it has either sent its transaction, or never will. */
const GONE_MS = 60_000;

const releaseHoldsOf = (writer: Writer, engines: readonly number[]): Promise<void> =>
  writer.run((tx) =>
    runSteps(
      (function* () {
        const held = 'SELECT hold_id AS hold FROM ledger_hold WHERE engine = ANY($1::bigint[])';
        const holds = yield* tx.all<{ hold: number }>(held, [engines]);
        yield* releaseHolds(
          tx,
          holds.map(({ hold }) => hold),
        );
      })(),
    ),
  );

/** Holds that were copied from a data folder belong to no engine, because their owner was killed. */
const releaseCopied = async (rows: Rows, writer: Writer): Promise<void> => {
  const copied = await rows.get('SELECT 1 FROM ledger_hold WHERE engine = 0 LIMIT 1');
  if (copied !== undefined) await releaseHoldsOf(writer, [0]);
};

/**
 * Releases the holds of dead engines. An engine whose connection breaks only for a moment may still send a transaction
 * for its hold.
 *
 * @returns a function to call periodically with the engines that are alive
 */
const createRelease = (rows: Rows, writer: Writer, clock: Clock) => {
  const missing = new Map<number, number>();
  return async (there: readonly number[]): Promise<void> => {
    const holders = await rows.all<{ engine: number }>('SELECT DISTINCT engine FROM ledger_hold');
    for (const { engine } of holders) if (!missing.has(engine)) missing.set(engine, clock.monotonic());
    for (const engine of there) missing.delete(engine);
    const lost = [...missing].filter(([, since]) => clock.monotonic() - since >= GONE_MS).map(([engine]) => engine);
    if (lost.length === 0) return;
    await releaseHoldsOf(writer, lost);
    for (const engine of lost) missing.delete(engine);
  };
};

/**
 * Opens the store on a PostgreSQL database, which other engines may use at the same time.
 *
 * @throws EngineError `STORE_UNAVAILABLE`, `DATABASE_TOO_NEW` or `DATABASE_TOO_OLD`
 */
export const openPostgresDatabase = async (
  url: Secret<string>,
  { clock, log, stop, onLogEnd, onError }: StoreWatch,
): Promise<DeskDatabase> => {
  const { config, closeAll } = closable(configOf(url));
  const [readers, writers] = [poolOf(readingConfig(config), READERS), poolOf({ ...config, pipeline: true }, 1)];
  for (const pool of [readers, writers]) pool.on('error', (err) => log.warn('store.connection', { err }));
  let session: Session | undefined;
  const leave = async (): Promise<void> => {
    // The server's time is real, whatever the engine's clock says.
    const cancel = systemClock.setTimer(CLOSE_MS, closeAll);
    await session?.stop();
    await Promise.all([readers.end(), writers.end()]);
    cancel();
    // Pools do not wait until the server has closed their connections. Open ones would keep this process alive.
    closeAll();
  };
  stop?.addEventListener('abort', closeAll);
  try {
    stop?.throwIfAborted();
    const client = await writers.connect();
    try {
      await createSchema(client);
    } finally {
      client.release();
    }
    const rows = rowsOf(readers);
    const cache = createSettingsCache(rows);
    const number = (await rows.get<{ number: number }>(`SELECT nextval('engine_number') AS number`))?.number ?? 0;
    const writer = createWriter({ pool: writers, cache, clock, engine: number, onLogEnd });
    const vault = createVaultStorage({ rows, writer });

    const listeners = new Set<(part: CommittedPart) => void>();
    const notify = (part: CommittedPart): void => {
      for (const listener of listeners) listener(part);
    };
    const onCommitted = (part: CommittedPart): void => {
      if (part === 'settings') cache.clear();
      if (part !== 'vault') notify(part);
      else
        vault.refresh().then(
          () => notify(part),
          (err: unknown) => log.warn('store.vault', { err }),
        );
    };
    const { drain, ...access } = accessOf({ rows, writer, cache });
    const release = createRelease(rows, writer, clock);
    const onBeat = async (there: readonly number[], isLeader: boolean): Promise<void> => {
      await store.releaseLost();
      if (isLeader) await release(there);
    };
    // Writes also compare the size of the log in this row, to detect a database in an older state.
    const counters = () =>
      rows.get<{ decisions: number; logSize: number }>('SELECT decisions, log_size FROM desk_head');
    const store = storeOf(
      access,
      { log, engine: number },
      {
        ...snapshotStore({ rows, writer, config }),
        // Changes are appended to the log in the transaction that makes them.
        logChanges: () => Promise.resolve(),
        countDecisions: async () => (await counters())?.decisions ?? 0,
        logSize: async () => (await counters())?.logSize ?? 0,
        async close() {
          await drain();
          // This engine sends nothing from now on. If the database is unreachable, other engines release the holds.
          await releaseHoldsOf(writer, [number]).catch((err: unknown) => log.warn('store.holdKept', { err }));
          await leave();
        },
      },
    );
    // Queries that wait for an answer fail now, instead of when their time is over.
    const onSilent = closeAll;
    const joined = await joinEngines({ config, engine: number, log, onCommitted, onBeat, onSilent });
    session = joined;
    await releaseCopied(rows, writer);
    // Reads what was written before this engine started to listen.
    await vault.refresh();
    const failed = (cause: unknown): never => {
      const error = storeError(cause);
      if (error !== cause && error instanceof EngineError) onError?.(error);
      throw error;
    };
    return {
      store: watched(store, { failed }),
      engines: {
        isLeader: () => joined.isLeader(),
        onOthers(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      vault,
    };
  } catch (error) {
    await leave();
    throw openingError(error);
  } finally {
    stop?.removeEventListener('abort', closeAll);
  }
};
