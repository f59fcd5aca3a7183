import type { EntryKind } from '../../../core/log/entry.ts';
import { type LeafRange, consistencyRanges, inclusionRanges } from '../../../core/log/merkle-tree.ts';
import { systemEntropy } from '../../base/clock.ts';
import { acceptedRollback, calledBefore } from '../accepted-rollback.ts';
import { type EntryRow, LOG_SIZE, entriesIn, toLine } from '../log-rows.ts';
import type { DeskLogEnd, LogCheckpoint, LogHead, LogLine, OutsideAction } from '../log-store.ts';
import type { Access } from '../access.ts';
import { type Reads, type Value, turn } from '../rows.ts';
import { logTree } from './log-tree.ts';

/** Rows per read. */
const BATCH = 250;

/** Approximate limit on the text of one page. */
const PAGE_CHARACTERS = 1024 * 1024;

const SIZE = `SELECT ${LOG_SIZE} AS size`;
const DESK = 'SELECT desk_id FROM desk';

// No position is missing, so a maximum number of rows can be given as an end position.
const LINES = `${entriesIn('log')} WHERE position >= $1 AND position < $2 ORDER BY position`;

const newestOf = (filter: string): string =>
  `${entriesIn('log_entry AS log')} WHERE position < $1 ${filter} ORDER BY position DESC LIMIT $2`;

const CHECKPOINT = 'SELECT size, at, note FROM log_checkpoint';

/**
 * Reads batches of rows until they are enough in number or length.
 *
 * @param parameters returns the parameters of the statement for up to `most` rows after the last one
 */
const linesOf = async (
  rows: Reads,
  sql: string,
  limit: number,
  parameters: (last: LogLine | undefined, most: number) => readonly Value[],
): Promise<LogLine[]> => {
  const lines: LogLine[] = [];
  let characters = 0;
  const isEnough = ({ body }: EntryRow): boolean => (characters += body.length) >= PAGE_CHARACTERS;
  for (;;) {
    const most = Math.min(BATCH, limit - lines.length);
    const found = await rows.upTo(sql, parameters(lines.at(-1), most), isEnough);
    lines.push(...found.map(toLine));
    if (found.length < most || lines.length === limit || characters >= PAGE_CHARACTERS) return lines;
    await turn();
  }
};

export interface LinesQuery {
  readonly from: number;
  readonly to?: number;
  readonly limit: number;
}

export interface ListQuery {
  readonly before?: number | undefined;
  readonly kind?: EntryKind | undefined;
  readonly limit: number;
}

/**
 * The log: one entry for every decision, settlement and change to settings, in commit order. It is part of the store,
 * whose other writes append their entries in the same transaction.
 */
export const logStore = ({ rows, writeShared, writeLog }: Access) => {
  const tree = logTree(rows);
  return {
    /** The desk id. It changes when the log continues from an older state. */
    async deskId(): Promise<string> {
      return (await rows.get<{ deskId: string }>(DESK))?.deskId ?? '';
    },
    /** Whether the log shows that this was the desk id at an earlier time. */
    async wasCalled(deskId: string): Promise<boolean> {
      const renamed = await rows.get(
        `SELECT 1 FROM log_entry WHERE kind = 'action' AND replace(body, $1, '') <> body LIMIT 1`,
        [calledBefore(deskId)],
      );
      return renamed !== undefined;
    },
    /**
     * Continues from an older state of the log, as the operator requested. The desk id and the log's key change, because
     * signed heads may exist that this log does not extend. An entry records the end that was lost.
     */
    acceptRollback: (written: DeskLogEnd): Promise<void> =>
      writeShared(function* (tx) {
        const before = (yield* tx.get<{ deskId: string }>(DESK))?.deskId ?? '';
        const entries = (yield* tx.get<{ size: number }>(SIZE))?.size ?? 0;
        const after = Buffer.from(systemEntropy.bytes(16)).toString('hex');
        yield* tx.run('UPDATE desk SET desk_id = $1', [after]);
        yield* tx.run('DELETE FROM log_checkpoint');
        tx.log.append('action', acceptedRollback({ before, after, entries, written }));
      }),
    /** Writes the entry for the start of the engine, before any other entry. Call it only once. */
    logStart: () => writeLog((log) => log.start()),
    /** Writes the entry for the stop of the engine, if the log has its start. @returns whether the entry was written */
    logStop: (): Promise<boolean> =>
      writeLog((log) => {
        if (log.isStarted()) log.append('stop', {});
        return log.isStarted();
      }),
    logAction: ({ action, via, by, changes }: OutsideAction): Promise<void> =>
      writeLog((log) => log.append('action', { action, via, by, changes: [...changes] })),
    async logSize(): Promise<number> {
      return (await rows.get<{ size: number }>(SIZE))?.size ?? 0;
    },
    /** Entries from a position on, limited in number and to about 1 MiB. */
    logLines: ({ from, to = Number.MAX_SAFE_INTEGER, limit }: LinesQuery) =>
      linesOf(rows, LINES, limit, (last, most) => {
        const first = last === undefined ? from : last.entry + 1;
        return [first, Math.min(to, first + most)];
      }),
    /** The newest entries that are not decisions, newest first, before a position: of one kind, or of any kind. */
    listLog: ({ before = Number.MAX_SAFE_INTEGER, kind, limit }: ListQuery) =>
      linesOf(rows, newestOf(kind === undefined ? '' : 'AND kind = $3'), limit, (last, most) => [
        last?.entry ?? before,
        most,
        ...(kind === undefined ? [] : [kind]),
      ]),
    /** Position of a decision's entry; undefined if it has none. */
    async entryOfDecision(decisionId: string): Promise<number | undefined> {
      const find = 'SELECT seq FROM decision WHERE id = $1 AND hash IS NOT NULL';
      return (await rows.get<{ seq: number }>(find, [decisionId]))?.seq;
    },
    /** The head of a tree of the first `size` entries. */
    logHead: async (size: number): Promise<LogHead> => ({ size, root: await tree.root({ start: 0, end: size }) }),
    /** Hashes that prove that an entry is among the first `size`. */
    inclusionProof: (entry: number, size: number) => Promise.all(inclusionRanges(entry, size).map(tree.root)),
    /** Hashes that prove that the first `size` entries begin with the first `oldSize`. */
    consistencyProof: (oldSize: number, size: number) => Promise.all(consistencyRanges(oldSize, size).map(tree.root)),
    /** Roots of the full subtrees of a range, from left to right. */
    subtreeHashes: (range: LeafRange) => tree.subtrees(range),
    async saveCheckpoint(checkpoint: LogCheckpoint): Promise<void> {
      await writeShared((tx) => tx.upsert('log_checkpoint', 'size, at, note', checkpoint, 'size'));
    },
    /** The checkpoint of the largest size; undefined if none exists. */
    newestCheckpoint: () =>
      rows.get<LogCheckpoint>(`${CHECKPOINT} WHERE size = (SELECT max(size) FROM log_checkpoint)`),
    /** Checkpoints, smallest size first. */
    listCheckpoints: ({ after, limit }: { after: number; limit: number }) =>
      rows.all<LogCheckpoint>(`${CHECKPOINT} WHERE size > $1 ORDER BY size LIMIT $2`, [after, limit]),
  };
};
