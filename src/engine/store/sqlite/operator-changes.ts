import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { currentCall } from '../../base/caller.ts';
import { type Dialect, type Subject, subjects } from '../operator-changes.ts';

const dialect: Dialect = {
  json: (column) => `json(${column})`,
  field: (column, name) => `${column} ->> '${name}'`,
  fingerprint: (column) => `fingerprint(${column})`,
};

const objectOf = (values: Readonly<Record<string, string>>): string =>
  `json_object(${Object.entries(values)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})`;

/**
 * Triggers with which SQLite stores every change in the transaction that makes it, for every caller. The triggers
 * are temporary, so that they match the code, and other tools can write to the file without them.
 */
const triggersOf = ({ table, subject, id, values }: Subject): string => {
  const trigger = (event: 'INSERT' | 'UPDATE' | 'DELETE'): string => {
    const before = event === 'INSERT' ? 'NULL' : objectOf(values('old', dialect));
    const after = event === 'DELETE' ? 'NULL' : objectOf(values('new', dialect));
    const row = event === 'DELETE' ? 'old' : 'new';
    return `CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON main.${table} BEGIN
      INSERT INTO operator_change (call, subject, id, before, after)
        SELECT current_call(), '${subject}', ${id(row)}, ${before}, ${after} WHERE ${before} IS NOT ${after};
    END;`;
  };
  return [trigger('INSERT'), trigger('UPDATE'), trigger('DELETE')].join('\n');
};

const FINGERPRINT_DIGITS = 8;

const fingerprint = (text: unknown): string | null =>
  typeof text === 'string' ? createHash('sha256').update(text).digest('hex').slice(0, FINGERPRINT_DIGITS) : null;

/** Makes SQLite store the changes of operators. @param changed called for each change */
export const keepOperatorChanges = (database: Database.Database, changed: () => void): void => {
  database.function('current_call', () => {
    changed();
    return JSON.stringify(currentCall());
  });
  database.function('fingerprint', { deterministic: true }, fingerprint);
  for (const subject of subjects) database.exec(triggersOf(subject));
};
