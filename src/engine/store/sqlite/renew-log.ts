import Database from 'better-sqlite3';

/**
 * Gives a restored database file another desk id and, with it, another log key: since the backup, Gasdesk may have
 * signed heads that this log does not extend. The log's next entry records the change.
 *
 * @param backedUpAt when the backup was made, epoch ms
 */
export const renewLog = (file: string, backedUpAt: number): void => {
  const database = new Database(file, { fileMustExist: true });
  try {
    const call = JSON.stringify({ via: 'cli', by: 'operator', call: 0, action: 'restore' });
    database.transaction(() => {
      const before = database.prepare('SELECT desk_id FROM desk').pluck().get();
      database.prepare('UPDATE desk SET desk_id = lower(hex(randomblob(16)))').run();
      database.prepare('DELETE FROM log_checkpoint').run();
      database
        .prepare(
          `INSERT INTO operator_change (call, subject, id, before, after)
           SELECT ?, 'desk', desk_id, json_object('deskId', ?), json_object('deskId', desk_id, 'backedUpAt', ?) FROM desk`,
        )
        .run(call, before, backedUpAt);
    })();
  } finally {
    database.close();
  }
};
