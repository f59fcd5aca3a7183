import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { DataFolder } from '../data-folder/data-folder.ts';
import type { FreeBytes } from '../data-folder/free-bytes.ts';
import { openLogEndFile } from './log-end-file.ts';
import { MEND_ROLLBACK, type Rollback, findRollback, logEndOf } from './rollback.ts';
import { type StorageHealth, createStorageHealth } from './storage-health.ts';
import type { DeskDatabase } from '../store/database.ts';
import type { LogEnd } from '../store/log-store.ts';
import type { DatabasePlace, openDeskDatabase } from '../store/open-database.ts';

/**
 * What to do if the database is older than this engine's last write: refuse it, open it for inspection, or continue from
 * that state permanently.
 */
export type OnRollback = 'refuse' | 'open' | 'accept';

/** A database that continues what this engine has written, unless the operator requested otherwise. */
export interface WatchedDatabase extends DeskDatabase {
  readonly storage: StorageHealth;
  readonly rollback: () => Promise<Rollback | undefined>;
  readonly accepted: Rollback | undefined;
  /** Makes the record of the log's end durable. */
  readonly flush: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface OpenOptions {
  readonly folder: DataFolder;
  readonly place: DatabasePlace;
  readonly openDatabase: typeof openDeskDatabase;
  readonly onRollback: OnRollback;
  readonly freeBytes: FreeBytes;
  /** See `StoreWatch`. */
  readonly confirm: () => Promise<void> | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** After a failed write, no write is tried again while fewer bytes than this are free on the disk. */
const ROOM_TO_DECIDE = 2n ** 17n;

const refusal = ({ words, written, found }: Rollback): EngineError =>
  new EngineError('LOG_ROLLED_BACK', `${words}, so Gasdesk signs and changes nothing. ${MEND_ROLLBACK}.`, {
    written,
    found,
  });

/**
 * Compares the database with the last write of this engine, and opens it.
 *
 * @throws EngineError as {@link openDeskDatabase}, and `LOG_ROLLED_BACK`
 */
export const openWatchedDatabase = async (options: OpenOptions): Promise<WatchedDatabase> => {
  const { folder, place, openDatabase, onRollback, freeBytes, confirm, clock, log, stop } = options;
  const file = openLogEndFile(folder.logEnd, log);
  // The disk of an external database server cannot be checked from here.
  const hasRoom = async (): Promise<boolean> =>
    place.url !== undefined || (await freeBytes(folder.dir)) >= ROOM_TO_DECIDE;
  const storage = createStorageHealth({ clock, hasRoom });
  // Undefined until it is known that the database continues the log from the end that the file records.
  let deskId: string | undefined;
  const onLogEnd = (end: LogEnd): void => {
    if (deskId !== undefined) file.write({ deskId, ...end });
  };
  let database: DeskDatabase | undefined;
  const close = async (): Promise<void> => {
    try {
      await database?.store.close();
    } finally {
      file.close();
    }
  };
  try {
    database = await openDatabase(place, { clock, log, stop, onLogEnd, confirm, onError: storage.failed });
    const { store } = database;
    const found = await findRollback(store, file.known());
    if (found !== undefined && onRollback === 'refuse') throw refusal(found);
    const accepted = onRollback === 'accept' ? found : undefined;
    if (accepted !== undefined) await store.acceptRollback(accepted.written);
    if (found === accepted) {
      const end = await logEndOf(store);
      deskId = end.deskId;
      file.write(end);
    }
    const rollback = (): Promise<Rollback | undefined> => findRollback(store, file.known());
    return { ...database, storage, rollback, accepted, flush: file.flush, close };
  } catch (error) {
    await close();
    throw error;
  }
};
