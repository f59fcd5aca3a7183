import type { EntryBody } from '../../core/log/entry.ts';
import type { DeskLogEnd } from './log-store.ts';

interface RollbackAcceptance {
  /** Names of the desk, before and after. */
  readonly before: string;
  readonly after: string;
  /** How many entries its log has. */
  readonly entries: number;
  /** Where a log ended that an engine has written. */
  readonly written: DeskLogEnd;
}

/** The entry that tells that the operator goes on from an older state of the log. */
export const acceptedRollback = ({ before, after, entries, written }: RollbackAcceptance): EntryBody<'action'> => ({
  ...{ action: 'log.acceptRollback', via: 'cli', by: 'operator' },
  changes: [{ subject: 'desk', id: after, before: { deskId: before }, after: { deskId: after, entries, written } }],
});

/** What is in the text of an entry that tells of another name of the desk, after an accepted or a restored state. */
export const calledBefore = (deskId: string): string => `"before":${JSON.stringify({ deskId })}`;
