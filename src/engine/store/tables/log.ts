import { consistencyRanges, inclusionRanges } from '../../../core/log/merkle-tree.ts';
import { systemEntropy } from '../../base/clock.ts';
import { acceptedRollback, calledBefore } from '../accepted-rollback.ts';
import { type EntryRow, LOG_SIZE, entriesIn, toLine } from '../log-rows.ts';
import type { LogCheckpoint, LogLine, LogStore } from '../log-store.ts';
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

export const logStore = ({ rows, writeShared, writeLog }: Access): Omit<LogStore, 'logChanges'> => {
  const tree = logTree(rows);
  return {
    async deskId() {
      return (await rows.get<{ deskId: string }>(DESK))?.deskId ?? '';
    },
    async wasCalled(deskId) {
      const renamed = await rows.get(
        `SELECT 1 FROM log_entry WHERE kind = 'action' AND replace(body, $1, '') <> body LIMIT 1`,
        [calledBefore(deskId)],
      );
      return renamed !== undefined;
    },
    acceptRollback: (written) =>
      writeShared(function* (tx) {
        const before = (yield* tx.get<{ deskId: string }>(DESK))?.deskId ?? '';
        const entries = (yield* tx.get<{ size: number }>(SIZE))?.size ?? 0;
        const after = Buffer.from(systemEntropy.bytes(16)).toString('hex');
        yield* tx.run('UPDATE desk SET desk_id = $1', [after]);
        yield* tx.run('DELETE FROM log_checkpoint');
        tx.log.append('action', acceptedRollback({ before, after, entries, written }));
      }),
    logStart: () => writeLog((log) => log.start()),
    logStop: () =>
      writeLog((log) => {
        if (log.isStarted()) log.append('stop', {});
        return log.isStarted();
      }),
    logAction: ({ action, via, by, changes }) =>
      writeLog((log) => log.append('action', { action, via, by, changes: [...changes] })),
    async logSize() {
      return (await rows.get<{ size: number }>(SIZE))?.size ?? 0;
    },
    logLines: ({ from, to = Number.MAX_SAFE_INTEGER, limit }) =>
      linesOf(rows, LINES, limit, (last, most) => {
        const first = last === undefined ? from : last.entry + 1;
        return [first, Math.min(to, first + most)];
      }),
    listLog: ({ before = Number.MAX_SAFE_INTEGER, kind, limit }) =>
      linesOf(rows, newestOf(kind === undefined ? '' : 'AND kind = $3'), limit, (last, most) => [
        last?.entry ?? before,
        most,
        ...(kind === undefined ? [] : [kind]),
      ]),
    async entryOfDecision(decisionId) {
      const find = 'SELECT seq FROM decision WHERE id = $1 AND hash IS NOT NULL';
      return (await rows.get<{ seq: number }>(find, [decisionId]))?.seq;
    },
    logHead: async (size) => ({ size, root: await tree.root({ start: 0, end: size }) }),
    inclusionProof: (entry, size) => Promise.all(inclusionRanges(entry, size).map(tree.root)),
    consistencyProof: (oldSize, size) => Promise.all(consistencyRanges(oldSize, size).map(tree.root)),
    subtreeHashes: (range) => tree.subtrees(range),
    async saveCheckpoint(checkpoint) {
      await writeShared((tx) => tx.upsert('log_checkpoint', 'size, at, note', checkpoint, 'size'));
    },
    newestCheckpoint: () =>
      rows.get<LogCheckpoint>(`${CHECKPOINT} WHERE size = (SELECT max(size) FROM log_checkpoint)`),
    listCheckpoints: ({ after, limit }) =>
      rows.all<LogCheckpoint>(`${CHECKPOINT} WHERE size > $1 ORDER BY size LIMIT $2`, [after, limit]),
  };
};
