import type { Secret } from '../base/secret.ts';
import type { DataFolder } from '../data-folder/data-folder.ts';
import type { DeskDatabase } from './database.ts';
import type { StoreWatch } from './store-watch.ts';
import { openSqliteDatabase } from './sqlite/sqlite-database.ts';

/** Where the data of an installation is. */
export interface DatabasePlace {
  /** The data folder. Without a URL, it contains the SQLite file and the vault's file. */
  readonly folder: Pick<DataFolder, 'database' | 'vault'>;
  /** URL of the PostgreSQL database; undefined for SQLite. */
  readonly url: Secret<string> | undefined;
}

/**
 * Opens the database of an installation.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE`, `STORE_UNAVAILABLE`, `STORAGE_FAILED` or `DATABASE_TOO_NEW`
 */
export const openDeskDatabase = async ({ folder, url }: DatabasePlace, watch: StoreWatch): Promise<DeskDatabase> => {
  if (url === undefined) return openSqliteDatabase(folder, watch);
  // Loaded only if such a database is used.
  const { openPostgresDatabase } = await import('./postgres/postgres-database.ts');
  return openPostgresDatabase(url, watch);
};
