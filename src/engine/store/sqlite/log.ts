import type Database from 'better-sqlite3';
import { type EntryBody, type EntryKind, entryText } from '../../../core/log/entry.ts';
import { consistencyRanges, inclusionRanges } from '../../../core/log/merkle-tree.ts';
import { sha256Text } from '../../base/sha256.ts';
import { version } from '../../base/version.ts';
import {
  type DecisionEntry,
  ENTRY,
  type EntryRow,
  LAST_ENTRY,
  LOG_SIZE,
  PAGE_CHARACTERS,
  toLine,
} from '../log-rows.ts';
import { TILE_HASHES } from '../log-tiles.ts';
import type { LogCheckpoint, LogLine, LogStore } from '../log-store.ts';
import type { StoreWatch } from '../store-watch.ts';
import type { GroupCommit } from './group-commit.ts';
import { logTree } from './log-tree.ts';
import { operatorChanges } from './operator-changes.ts';

/** Enters events in the log, inside the transactions that cause them. */
export interface LogWriter {
  /** Enters that the engine runs, unless entered. Called automatically before the first entry. */
  readonly start: () => void;
  readonly isStarted: () => boolean;
  /** Whether operators may have made changes that are not entered yet. */
  readonly hasChanges: () => boolean;
  append<Kind extends EntryKind>(kind: Kind, body: EntryBody<Kind>): void;
  /** Enters that an operation's settlement changed. */
  appendSettlement(seq: number, body: EntryBody<'settlement'>): void;
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

/** Reads rows until their number or their text suffices. */
const someOf = (rows: Iterable<EntryRow>): LogLine[] => {
  const lines: LogLine[] = [];
  let characters = 0;
  for (const row of rows) {
    const line = toLine(row);
    lines.push(line);
    characters += line.text.length;
    if (characters >= PAGE_CHARACTERS) break;
  }
  return lines;
};

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

/** The log without the methods that continue from an older state. */
type StoredLog = Omit<LogStore, 'wasCalled' | 'acceptRollback'>;

export const logStore = (database: Database.Database, log: LogWriter, commit: GroupCommit): StoredLog => {
  const tree = logTree(database);
  const desk = database.prepare<[], string>('SELECT desk_id FROM desk').pluck();
  const size = database.prepare<[], number>(`SELECT ${LOG_SIZE}`).pluck();
  /** No position is missing, so an end is a limit. */
  const lines = database.prepare<[number, number], EntryRow>(
    `${ENTRY} WHERE position >= ? AND position < ? ORDER BY position`,
  );
  const newest = database.prepare<[{ before: number; kind: string | null; limit: number }], EntryRow>(
    `${ENTRY} WHERE position IN (
       SELECT position FROM log_entry WHERE position < @before AND (@kind IS NULL OR kind = @kind)
       ORDER BY position DESC LIMIT @limit) ORDER BY position DESC`,
  );
  const positionOf = database
    .prepare<[string], number>('SELECT seq FROM decision WHERE id = ? AND hash IS NOT NULL')
    .pluck();
  const save = database.prepare<[LogCheckpoint]>('INSERT OR REPLACE INTO log_checkpoint VALUES (@size, @at, @note)');
  const checkpoint = database.prepare<[], LogCheckpoint>(
    'SELECT size, at, note FROM log_checkpoint WHERE size = (SELECT max(size) FROM log_checkpoint)',
  );
  const checkpoints = database.prepare<[number, number], LogCheckpoint>(
    'SELECT size, at, note FROM log_checkpoint WHERE size > ? ORDER BY size LIMIT ?',
  );
  return {
    async deskId() {
      return desk.get() ?? '';
    },
    logStart: () => commit.run(() => log.start()),
    logStop: () =>
      commit.run(() => {
        if (log.isStarted()) log.append('stop', {});
        return log.isStarted();
      }),
    async logChanges() {
      // Every commit enters them first.
      if (log.hasChanges()) await commit.run(() => undefined);
    },
    logAction: ({ action, via, by, changes }) =>
      commit.run(() => log.append('action', { action, via, by, changes: [...changes] })),
    async logSize() {
      return size.get() ?? 0;
    },
    async logLines({ from, to = Number.MAX_SAFE_INTEGER, limit }) {
      return someOf(lines.iterate(from, Math.min(to, from + limit)));
    },
    async listLog({ before = Number.MAX_SAFE_INTEGER, kind = null, limit }) {
      return someOf(newest.iterate({ before, kind, limit }));
    },
    async entryOfDecision(decisionId) {
      return positionOf.get(decisionId);
    },
    async logHead(of) {
      return { size: of, root: tree.root({ start: 0, end: of }) };
    },
    async inclusionProof(entry, of) {
      return inclusionRanges(entry, of).map(tree.root);
    },
    async consistencyProof(oldSize, of) {
      return consistencyRanges(oldSize, of).map(tree.root);
    },
    async subtreeHashes(range) {
      return tree.subtrees(range);
    },
    saveCheckpoint: (signed) => commit.run(() => void save.run(signed)),
    async newestCheckpoint() {
      return checkpoint.get();
    },
    async listCheckpoints({ after, limit }) {
      return checkpoints.all(after, limit);
    },
  };
};
