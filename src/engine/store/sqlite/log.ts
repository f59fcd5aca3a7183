import type Database from 'better-sqlite3';
import { type EntryBody, type EntryKind, entryText } from '../../../core/log/entry.ts';
import { consistencyRanges, inclusionRanges } from '../../../core/log/merkle-tree.ts';
import { sha256Text } from '../../base/sha256.ts';
import { version } from '../../base/version.ts';
import { ENTRY, type EntryRow, PAGE_CHARACTERS, toLine } from '../log-rows.ts';
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
  /** Enters a decision with its record's text. */
  appendDecision(seq: number, record: string): void;
  /** Begins a shared transaction: enters operators' changes, before any decision based on them. */
  readonly begin: () => void;
  /** Ends it, or says that it was undone. */
  readonly end: () => void;
  /** Reports the log's end, unless reported; call outside of transactions. */
  readonly reportEnd: () => void;
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
  const last = database.prepare<[], { position: number; at: number; hash: Buffer }>(
    'SELECT position, at, hash FROM log_entry WHERE position = (SELECT max(position) FROM log_entry)',
  );
  const insert = database.prepare<[number, number, EntryKind, Buffer | null, Uint8Array, number | null, string | null]>(
    'INSERT INTO log_entry VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const tree = logTree(database);
  const operators = operatorChanges(database);
  let started: number | undefined;
  let isReported = true;

  type Last = ReturnType<typeof last.get>;
  /** The last entry, known only within a shared transaction; `null` outside of one. */
  let lastOfBatch: Last | null = null;
  const write = (before: Last, kind: EntryKind, body: string, decisionSeq: number | null): Last => {
    const position = before === undefined ? 0 : before.position + 1;
    const at = Math.max(clock.now(), before?.at ?? 0);
    const previous = before?.hash ?? null;
    const text = entryText({ entry: position, at, kind, previous: previous?.toString('hex') ?? null }, body);
    // A leaf's hash input begins with a zero byte.
    const hash = sha256Text(`\0${text}`);
    isReported = false;
    insert.run(position, at, kind, previous, hash, decisionSeq, decisionSeq === null ? body : null);
    tree.complete(position);
    return { position, at, hash };
  };
  /** The last entry of an engine that has entered its start. A start that was rolled back is entered again. */
  const startedLast = (): Last => {
    const before = lastOfBatch ?? last.get();
    if (before !== undefined && started !== undefined && started <= before.position) return before;
    const entered = write(before, 'start', JSON.stringify({ engine: version }), null);
    started = entered?.position;
    return entered;
  };
  const append = (kind: EntryKind, body: string, decisionSeq: number | null = null): void => {
    const entered = write(startedLast(), kind, body, decisionSeq);
    if (lastOfBatch !== null) lastOfBatch = entered;
  };
  return {
    start: () => void startedLast(),
    isStarted: () => started !== undefined,
    hasChanges: operators.mayBePending,
    append: (kind, body) => append(kind, JSON.stringify(body)),
    appendDecision: (seq, record) => append('decision', record, seq),
    begin() {
      lastOfBatch = undefined;
      for (const action of operators.take()) append('action', JSON.stringify(action));
    },
    end: () => (lastOfBatch = null),
    reportEnd() {
      if (isReported || onLogEnd === undefined) return;
      isReported = true;
      // Read again: a rollback may have removed entries.
      const end = last.get();
      if (end !== undefined) onLogEnd({ size: end.position + 1, hash: end.hash.toString('hex') });
    },
  };
};

/** Without continuing from an older state. */
type StoredLog = Omit<LogStore, 'wasCalled' | 'acceptRollback'>;

export const logStore = (database: Database.Database, log: LogWriter, commit: GroupCommit): StoredLog => {
  const tree = logTree(database);
  const desk = database.prepare<[], string>('SELECT desk_id FROM desk').pluck();
  const end = database.prepare<[], number | null>('SELECT max(position) FROM log_entry').pluck();
  const lines = database.prepare<[number, number, number], EntryRow>(
    `${ENTRY} WHERE position >= ? AND position < ? ORDER BY position LIMIT ?`,
  );
  const newest = database.prepare<[{ before: number; kind: string | null; limit: number }], EntryRow>(
    `${ENTRY} WHERE kind <> 'decision' AND position IN (
       SELECT position FROM log_entry WHERE kind <> 'decision' AND position < @before AND (@kind IS NULL OR kind = @kind)
       ORDER BY position DESC LIMIT @limit) ORDER BY position DESC`,
  );
  const seqOf = database.prepare<[string], number>('SELECT seq FROM decision WHERE id = ?').pluck();
  const nextDecision = database.prepare<[number], { position: number; seq: number }>(
    'SELECT position, decision_seq AS seq FROM log_entry WHERE position >= ? AND decision_seq IS NOT NULL LIMIT 1',
  );
  /** Positions grow with the decisions' own, so a binary search finds the entry. */
  const positionOf = (seq: number): number | undefined => {
    let [low, high] = [0, (end.get() ?? -1) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = nextDecision.get(middle);
      if (found?.seq === seq) return found.position;
      if (found === undefined || found.seq > seq) high = middle;
      else low = found.position + 1;
    }
    return undefined;
  };
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
      return (end.get() ?? -1) + 1;
    },
    async logLines({ from, to = Number.MAX_SAFE_INTEGER, limit }) {
      return someOf(lines.iterate(from, to, limit));
    },
    async listLog({ before = Number.MAX_SAFE_INTEGER, kind = null, limit }) {
      return someOf(newest.iterate({ before, kind, limit }));
    },
    async entryOfDecision(decisionId) {
      const seq = seqOf.get(decisionId);
      return seq === undefined ? undefined : positionOf(seq);
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
