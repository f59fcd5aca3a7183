import { type EntryKind, entryText } from '../../../core/log/entry.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256Text } from '../../base/sha256.ts';
import { version } from '../../base/version.ts';
import type { DeskHead } from '../desk-head.ts';
import type { DecisionEntry } from '../log-rows.ts';
import { TILE_HASHES } from '../log-tiles.ts';
import type { LogEntries } from '../access.ts';
import type { Cells, RowsWrite, StepRows, Steps, Target } from '../rows.ts';
import { completeTiles } from './log-tree.ts';

const ENTRY: Target = {
  table: 'log_entry',
  columns: { position: 'bigint', at: 'bigint', kind: 'text', hash: 'bytea', settles: 'bigint', body: 'text' },
  as: 'insert',
};

/** The writing side of the log. */
export interface LogWriter extends LogEntries {
  /** Begins a transaction. The log continues at its current end. */
  begin(tx: StepRows): Steps<void>;
  /** Enters a decision. Its row, which the caller writes, is the entry. */
  appendDecision(record: string): DecisionEntry;
  /** Writes the entries. Must run at the end of a transaction. @param others decisions, which are also entries */
  save(tx: StepRows, others: readonly RowsWrite[]): Steps<void>;
  /**
   * Discards the entries since the last commit, because they were undone.
   *
   * @param size size of the log, if it is known. It shows whether the log has the start entry of the engine
   */
  undone(size?: number): void;
}

export const createLogWriter = (head: DeskHead, clock: Clock): LogWriter => {
  let entries: Cells[] = [];
  /** Position of the entry of this engine's start. */
  let startedAt: number | undefined;
  /** Holds of other engines. They continue when this engine starts. */
  let held: readonly number[] = [];
  /** Size of the part of the log that is written. */
  let written = 0;
  /** Hashes of the newest entries, from the start of a tile on, unless some of them were written before. */
  let leaves: Buffer[] = [];

  /** Takes the next position. */
  const next = (kind: EntryKind, body: string): DecisionEntry => {
    const seq = head.logSize;
    const enteredAt = Math.max(clock.now(), head.logAt);
    const previous = head.logHash?.toString('hex') ?? null;
    // A leaf's hash input begins with a zero byte.
    const hash = sha256Text(`\0${entryText({ entry: seq, at: enteredAt, kind, previous }, body)}`);
    head.logAt = enteredAt;
    head.logHash = hash;
    head.logSize += 1;
    leaves.push(hash);
    return { seq, enteredAt, hash };
  };
  const enter = (kind: EntryKind, body: string, settles: number | null = null): void => {
    const { seq, enteredAt, hash } = next(kind, body);
    entries.push([seq, enteredAt, kind, hash, settles, body]);
  };
  const isStarted = (): boolean => startedAt !== undefined;
  const start = (): void => {
    if (isStarted()) return;
    startedAt = head.logSize;
    enter('start', JSON.stringify({ engine: version, ...(held.length > 0 && { holds: held }) }));
  };
  /** The leaves of the tile that was completed last, if they are in memory. */
  const newestTile = (end: number): readonly Buffer[] | undefined => {
    const start = end - TILE_HASHES - (head.logSize - leaves.length);
    return start < 0 ? undefined : leaves.slice(start, start + TILE_HASHES);
  };
  return {
    *begin(tx) {
      if (startedAt !== undefined && startedAt >= head.logSize) startedAt = undefined;
      written = head.logSize;
      if (isStarted()) return;
      const holds = yield* tx.all<{ hold: number }>('SELECT hold_id AS hold FROM ledger_hold ORDER BY 1');
      held = holds.map(({ hold }) => hold);
    },
    start,
    isStarted,
    append(kind, body) {
      start();
      enter(kind, JSON.stringify(body));
    },
    appendSettlement(seq, body) {
      start();
      enter('settlement', JSON.stringify(body), seq);
    },
    appendDecision(record) {
      start();
      return next('decision', record);
    },
    *save(tx, others) {
      const [from, to] = [written, head.logSize];
      if (from === to) return;
      yield* tx.writeMany([{ to: ENTRY, rows: entries }, ...others]);
      entries = [];
      written = to;
      const end = to - (to % TILE_HASHES);
      if (end <= from) return;
      yield* completeTiles(tx, { from, to }, end - from <= TILE_HASHES ? newestTile(end) : undefined);
      leaves = to === end ? [] : leaves.slice(end - to);
    },
    undone(size) {
      if (size !== undefined && startedAt !== undefined && startedAt >= size) startedAt = undefined;
      entries = [];
      leaves = [];
    },
  };
};
