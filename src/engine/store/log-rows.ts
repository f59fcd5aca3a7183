import { type EntryKind, entryText } from '../../core/log/entry.ts';
import type { LogLine } from './log-store.ts';

export interface EntryRow {
  readonly entry: number;
  readonly at: number;
  readonly kind: EntryKind;
  readonly hash: Buffer;
  readonly previous: Buffer | null;
  readonly body: string;
}

/** The columns in the row of a decision that belong to its log entry. */
export interface DecisionEntry {
  readonly seq: number;
  /** Epoch ms. */
  readonly enteredAt: number;
  readonly hash: Buffer;
}

/**
 * Entries, each with the hash of the previous one. The body of a decision's entry is its record.
 *
 * @param log the whole log, or all entries except decisions
 */
export const entriesIn = (log: 'log' | 'log_entry AS log'): string => `SELECT position AS entry, at, kind, hash, body,
  coalesce((SELECT hash FROM log_entry AS before WHERE before.position = log.position - 1),
    (SELECT hash FROM decision WHERE seq = log.position - 1)) AS previous FROM ${log}`;

/** Number of entries. In a review of an export, decisions are not entries, and have no hash. */
export const LOG_SIZE = `(SELECT coalesce(max(last) + 1, 0) FROM (SELECT max(position) AS last FROM log_entry
  UNION ALL SELECT seq FROM decision WHERE seq = (SELECT max(seq) FROM decision) AND hash IS NOT NULL) AS ends)`;

/** The last entry. */
export const LAST_ENTRY = `SELECT position, at, hash FROM (
    SELECT position, at, hash FROM log_entry WHERE position = (SELECT max(position) FROM log_entry)
    UNION ALL SELECT seq, entered_at, hash FROM decision
      WHERE seq = (SELECT max(seq) FROM decision) AND hash IS NOT NULL) AS ends
  ORDER BY position DESC LIMIT 1`;

export const toLine = ({ entry, at, kind, hash, previous, body }: EntryRow): LogLine => ({
  entry,
  at,
  kind,
  hash: hash.toString('hex'),
  text: entryText({ entry, at, kind, previous: previous?.toString('hex') ?? null }, body),
});
