import Database from 'better-sqlite3';
import { readsOf, statementsOf } from './rows.ts';

/** Opens a database file only to read it. @throws Error of SQLite */
export const openReads = (file: string) => {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  return { rows: readsOf(statementsOf(database)), close: () => void database.close() };
};
