import type Database from 'better-sqlite3';
import { SCHEMA_VERSION, hasSchema } from '../schema-version.ts';
import { tablesIn } from '../tables/schema.ts';

/** The tables of SQLite. `decision_hash_end` contains the last decision whose hash is in `decision_hash`. */
const tables = `
  ${tablesIn({
    integer: 'INTEGER',
    bytes: 'BLOB',
    bytewise: '',
    counter: 'INTEGER PRIMARY KEY',
    neverReused: ' AUTOINCREMENT',
    place: '',
    options: 'STRICT',
    keyed: 'STRICT, WITHOUT ROWID',
    changing: () => 'STRICT',
    newId: 'lower(hex(randomblob(16)))',
  })}
  CREATE TABLE decision_hash_end (seq INTEGER NOT NULL) STRICT;
  INSERT INTO decision_hash_end VALUES (0);
`;

/** Creates the tables in an empty database. @throws EngineError `DATABASE_TOO_NEW` or `DATABASE_TOO_OLD` */
export const createSchema = (database: Database.Database): void => {
  if (hasSchema(database.pragma('user_version', { simple: true }) as number)) return;
  database.transaction(() => {
    database.exec(tables);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
};
