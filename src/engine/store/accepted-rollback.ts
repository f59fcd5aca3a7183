import type { EntryBody } from '../../core/log/entry.ts';
import type { DeskLogEnd } from './log-store.ts';

interface RollbackAcceptance {
  /** Desk id before and after. */
  readonly before: string;
  readonly after: string;
  readonly entries: number;
  /** The end of the log when an engine last wrote to it. */
  readonly written: DeskLogEnd;
}

/** The entry for the operator's decision to continue from an older state of the log. */
export const acceptedRollback = ({ before, after, entries, written }: RollbackAcceptance): EntryBody<'action'> => ({
  action: 'log.acceptRollback',
  via: 'cli',
  by: 'operator',
  changes: [{ subject: 'desk', id: after, before: { deskId: before }, after: { deskId: after, entries, written } }],
});

/** Text that the entry contains if it changes the desk id, after `accept-rollback` or `restore`. */
export const calledBefore = (deskId: string): string => `"before":${JSON.stringify({ deskId })}`;
