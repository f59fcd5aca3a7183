import type { DataFolder } from '../../data-folder/data-folder.ts';
import type { DeskDatabase, Engines } from '../database.ts';
import type { StoreWatch } from '../store-watch.ts';
import { vaultInFile } from '../vault-in-file.ts';
import { openSqliteStore } from './sqlite-store.ts';

/** This engine is alone, because the data folder's lock excludes every other engine. */
const alone: Engines = { isLeader: () => true, onOthers: () => () => undefined };

/**
 * Opens the database of one engine: a SQLite file, and the vault's file next to it.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE`, `DATABASE_TOO_NEW` or `STORAGE_FAILED`
 */
export const openSqliteDatabase = (
  { database, vault }: Pick<DataFolder, 'database' | 'vault'>,
  watch: StoreWatch,
): DeskDatabase => ({ store: openSqliteStore(database, watch), engines: alone, vault: vaultInFile(vault) });
