import type Database from 'better-sqlite3';
import { currentCall } from '../../base/caller.ts';
import { recordedChanges } from '../operator-changes.ts';

/**
 * Triggers with which SQLite stores every change in the transaction that makes it, for every caller. The triggers
 * are temporary, so that they match the code, and other tools can write to the file without them.
 */
const triggers = recordedChanges('json_object').flatMap(({ table, subject, id, values }) =>
  ['INSERT', 'UPDATE', 'DELETE'].map((event) => {
    const before = event === 'INSERT' ? 'NULL' : values('old');
    const after = event === 'DELETE' ? 'NULL' : values('new');
    return `CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON main.${table} BEGIN
      INSERT INTO operator_change (call, subject, id, before, after)
        SELECT current_call(), '${subject}', ${id(event === 'DELETE' ? 'old' : 'new')}, ${before}, ${after}
        WHERE ${before} IS NOT ${after};
    END;`;
  }),
);

/** Makes SQLite store the changes of operators. @param changed called for each change */
export const keepOperatorChanges = (database: Database.Database, changed: () => void): void => {
  database.function('current_call', () => {
    changed();
    return JSON.stringify(currentCall());
  });
  database.exec(triggers.join('\n'));
};
