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

/** Entries with their bodies. The body of a decision's entry is its record. */
export const ENTRY = `SELECT position AS entry, log_entry.at, kind, hash, previous, coalesce(body, record) AS body
  FROM log_entry LEFT JOIN decision ON decision.seq = decision_seq`;

/** Approximate limit on the text of one page. */
export const PAGE_CHARACTERS = 1024 * 1024;

export const toLine = ({ entry, at, kind, hash, previous, body }: EntryRow): LogLine => ({
  entry,
  at,
  kind,
  hash: hash.toString('hex'),
  text: entryText({ entry, at, kind, previous: previous?.toString('hex') ?? null }, body),
});
