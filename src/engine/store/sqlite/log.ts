import type Database from 'better-sqlite3';
import { type EntryKind, entryText } from '../../../core/log/entry.ts';
import { sha256Text } from '../../base/sha256.ts';
import { version } from '../../base/version.ts';
import { type DecisionEntry, LAST_ENTRY } from '../log-rows.ts';
import { TILE_HASHES } from '../log-tiles.ts';
import type { LogEntries } from '../rows.ts';
import type { StoreWatch } from '../store-watch.ts';
import { logTree } from './log-tree.ts';
import { operatorChanges } from './operator-changes.ts';

/** The writing side of the log. */
export interface LogWriter extends LogEntries {
  /** Whether operators may have made changes that are not entered yet. */
  readonly hasChanges: () => boolean;
  /** Enters a decision. @param insert writes its row, which is the entry @returns its position */
  appendDecision(record: string, insert: (entry: DecisionEntry) => void): number;
  /** Begins a shared transaction: enters operators' changes, before any decision based on them. */
  readonly begin: () => void;
  /** What was entered since the last commit was undone. */
  readonly undone: () => void;
  /** Reports the log's end, unless reported; call outside of transactions. */
  readonly reportEnd: () => void;
}

/** The last entry. */
interface Last {
  readonly position: number;
  readonly at: number;
  readonly hash: Buffer;
}

export const createLogWriter = (
  database: Database.Database,
  { clock, onLogEnd }: Pick<StoreWatch, 'clock' | 'onLogEnd'>,
): LogWriter => {
  const last = database.prepare<[], Last>(LAST_ENTRY);
  const insert = database.prepare<[number, number, EntryKind, Buffer, number | null, string]>(
    'INSERT INTO log_entry VALUES (?, ?, ?, ?, ?, ?)',
  );
  const tree = logTree(database);
  const operators = operatorChanges(database);
  let started: number | undefined;
  let isReported = true;
  /** The last entry: read at the first use and after a rollback. Only this process writes. */
  let end: Last | undefined;
  /** The leaves since the last tile was completed, unless some of them were written before the last reading. */
  let leaves: Buffer[] = [];

  const write = (kind: EntryKind, body: string, save: (entry: Last) => void): number => {
    const before = (end ??= last.get());
    const position = before === undefined ? 0 : before.position + 1;
    const at = Math.max(clock.now(), before?.at ?? 0);
    const text = entryText({ entry: position, at, kind, previous: before?.hash.toString('hex') ?? null }, body);
    // A leaf's hash input begins with a zero byte.
    const hash = sha256Text(`\0${text}`);
    isReported = false;
    end = { position, at, hash };
    save(end);
    leaves.push(hash);
    if ((position + 1) % TILE_HASHES === 0) {
      tree.complete(position, leaves.length === TILE_HASHES ? leaves : undefined);
      leaves = [];
    }
    return position;
  };
  const enter = (kind: EntryKind, body: string, settles: number | null = null): number =>
    write(kind, body, ({ position, at, hash }) => void insert.run(position, at, kind, hash, settles, body));
  /** Enters the start of this engine, unless entered. A start that was rolled back is entered again. */
  const start = (): void => {
    end ??= last.get();
    if (end !== undefined && started !== undefined && started <= end.position) return;
    started = enter('start', JSON.stringify({ engine: version }));
  };
  const append = (kind: EntryKind, body: unknown, settles?: number): void => {
    start();
    enter(kind, JSON.stringify(body), settles);
  };
  return {
    start,
    isStarted: () => started !== undefined,
    hasChanges: operators.mayBePending,
    append: (kind, body) => append(kind, body),
    appendSettlement: (seq, body) => append('settlement', body, seq),
    appendDecision(record, insertDecision) {
      start();
      return write('decision', record, ({ position, at, hash }) =>
        insertDecision({ seq: position, enteredAt: at, hash }),
      );
    },
    begin() {
      for (const action of operators.take()) append('action', action);
    },
    undone() {
      end = undefined;
      leaves = [];
    },
    reportEnd() {
      if (isReported || onLogEnd === undefined) return;
      isReported = true;
      end ??= last.get();
      if (end !== undefined) onLogEnd({ size: end.position + 1, hash: end.hash.toString('hex') });
    },
  };
};
