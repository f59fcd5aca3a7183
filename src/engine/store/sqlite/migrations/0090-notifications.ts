import type { Migration } from './migration.ts';

/** Notifications of the operator: one open happening per kind and subject, and where they are sent. */
export const notifications: Migration = {
  version: 90,
  sql: `
    CREATE TABLE notification (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      raised_at INTEGER NOT NULL,
      ended_at INTEGER,
      seen INTEGER NOT NULL DEFAULT 0,
      due INTEGER NOT NULL,
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      decision_id TEXT
    ) STRICT;
    CREATE UNIQUE INDEX notification_open ON notification (kind, subject) WHERE ended_at IS NULL;
    CREATE INDEX notification_unseen ON notification (seq) WHERE seen = 0;
    CREATE INDEX notification_due ON notification (seq) WHERE due = 1;
    CREATE TABLE notification_webhook (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      url TEXT NOT NULL,
      attempted_at INTEGER,
      fault TEXT
    ) STRICT;
  `,
};
