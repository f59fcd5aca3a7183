import type Database from 'better-sqlite3';
import { SCHEMA_VERSION, hasSchema } from '../schema-version.ts';
import { tables } from '../tables/schema.ts';

/** The last decision whose hash is in `decision_hash`. */
const hashEnd = `
  CREATE TABLE decision_hash_end (seq INTEGER NOT NULL) STRICT;
  INSERT INTO decision_hash_end VALUES (0);
`;

/** Creates the tables in an empty database. @throws EngineError `DATABASE_TOO_NEW` or `DATABASE_TOO_OLD` */
export const createSchema = (database: Database.Database): void => {
  if (hasSchema(database.pragma('user_version', { simple: true }) as number)) return;
  database.transaction(() => {
    database.exec(tables + hashEnd);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
};
