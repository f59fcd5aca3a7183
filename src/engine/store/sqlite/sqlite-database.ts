import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { DataFolder } from '../../data-folder/data-folder.ts';
import type { DeskDatabase, Engines } from '../database.ts';
import { vaultInFile } from '../vault-in-file.ts';
import { openSqliteStore } from './sqlite-store.ts';

/** The data folder's lock keeps every other engine out. */
const alone: Engines = { isLeader: () => true, onOthers: () => () => undefined };

/**
 * Opens the database of one engine: a SQLite file, and the vault's file beside it.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE` or `DATABASE_TOO_NEW`
 */
export const openSqliteDatabase = (
  { database, vault }: Pick<DataFolder, 'database' | 'vault'>,
  watch: { clock: Clock; log: Log },
): DeskDatabase => ({ store: openSqliteStore(database, watch), engines: alone, vault: vaultInFile(vault) });
