import type { Migration } from './migration.ts';

/**
 * The log. The body of a decision's entry is its record, which is not stored twice; `hash` is the leaf hash. Decisions
 * are found by binary search, since `decision_seq` grows with the position: an index would cost every decision another
 * page. A tile holds 256 adjacent hashes, and their root: those of leaves at level 0, those of tiles above. Operators'
 * changes are in `operator_change` until they are entries.
 */
export const log: Migration = {
  version: 100,
  sql: `
    CREATE TABLE desk (only INTEGER PRIMARY KEY CHECK (only = 1), desk_id TEXT NOT NULL) STRICT;
    INSERT INTO desk VALUES (1, lower(hex(randomblob(16))));
    CREATE TABLE log_entry (
      position INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      previous BLOB,
      hash BLOB NOT NULL,
      decision_seq INTEGER,
      body TEXT
    ) STRICT;
    CREATE INDEX log_entry_of_kind ON log_entry (kind, position) WHERE kind <> 'decision';
    CREATE TABLE log_tile (
      level INTEGER NOT NULL, tile INTEGER NOT NULL, hashes BLOB NOT NULL, root BLOB NOT NULL,
      PRIMARY KEY (level, tile)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE log_checkpoint (
      size INTEGER PRIMARY KEY, at INTEGER NOT NULL, note TEXT NOT NULL
    ) STRICT;
    CREATE TABLE operator_change (
      change_id INTEGER PRIMARY KEY,
      call TEXT NOT NULL, subject TEXT NOT NULL, id TEXT NOT NULL, before TEXT, after TEXT
    ) STRICT;
  `,
};
