import { consistencyRanges, inclusionRanges } from '../../../core/log/merkle-tree.ts';
import { ENTRY, type EntryRow, PAGE_CHARACTERS, toLine } from '../log-rows.ts';
import { acceptedRollback, calledBefore } from '../accepted-rollback.ts';
import type { LogCheckpoint, LogLine, LogStore } from '../log-store.ts';
import { logTree } from './log-tree.ts';
import type { Rows } from './rows.ts';
import type { Writer } from './writer.ts';

/** Rows per read: large entries are not all fetched to return a few. */
const BATCH = 250;

/** Reads batches of rows until their number or their text suffices. */
const someOf = async (limit: number, lot: (after: LogLine | undefined, limit: number) => Promise<EntryRow[]>) => {
  const lines: LogLine[] = [];
  let characters = 0;
  while (lines.length < limit) {
    const count = Math.min(BATCH, limit - lines.length);
    const found = await lot(lines.at(-1), count);
    for (const row of found) {
      const line = toLine(row);
      lines.push(line);
      characters += line.text.length;
      if (characters >= PAGE_CHARACTERS) return lines;
    }
    if (found.length < count) return lines;
  }
  return lines;
};

const CHECKPOINT = 'SELECT size, at, note FROM log_checkpoint';

export const logStore = ({ rows, writer }: { rows: Rows; writer: Writer }): LogStore => {
  const tree = logTree(rows);
  return {
    // PostgreSQL databases have always had a log.
    async deskId() {
      return (await rows.get<{ id: string }>('SELECT desk_id AS id FROM desk'))?.id ?? '';
    },
    async wasCalled(deskId) {
      const renamed = await rows.get(`SELECT 1 FROM log_entry WHERE kind = 'action' AND strpos(body, $1) > 0 LIMIT 1`, [
        calledBefore(deskId),
      ]);
      return renamed !== undefined;
    },
    acceptRollback: (written) =>
      writer.run(async (writing) => {
        const name = async (): Promise<string> =>
          (await writing.get<{ id: string }>('SELECT desk_id AS id FROM desk'))?.id ?? '';
        const before = await name();
        await writing.run(`UPDATE desk SET desk_id = replace(gen_random_uuid()::text, '-', '')`);
        await writing.run('DELETE FROM log_checkpoint');
        const accepted = { before, after: await name(), entries: writing.head.logSize, written };
        writing.log.append('action', acceptedRollback(accepted));
      }),
    logStart: () =>
      writer.run(async ({ log }) => {
        log.start();
      }),
    logStop: () =>
      writer.run(async ({ log }) => {
        if (log.isStarted()) log.append('stop', {});
        return log.isStarted();
      }),
    // They are entered in the transaction that makes them.
    logChanges: () => Promise.resolve(),
    logAction: ({ action, via, by, changes }) =>
      writer.run(async ({ log }) => log.append('action', { action, via, by, changes: [...changes] })),
    async logSize() {
      return (await rows.get<{ size: number }>('SELECT log_size AS size FROM desk_head'))?.size ?? 0;
    },
    logLines: ({ from, to = Number.MAX_SAFE_INTEGER, limit }) =>
      someOf(limit, (last, most) => {
        const first = last === undefined ? from : last.entry + 1;
        // No position is missing, so an end is a limit.
        return rows.all(`${ENTRY} WHERE position >= $1 AND position < $2 ORDER BY position`, [
          first,
          Math.min(to, first + most),
        ]);
      }),
    listLog: ({ before = Number.MAX_SAFE_INTEGER, kind = null, limit }) =>
      someOf(limit, (last, most) =>
        rows.all(
          `${ENTRY} WHERE position IN (
             SELECT position FROM log_entry WHERE position < $1 AND ($2::text IS NULL OR kind = $2)
             ORDER BY position DESC LIMIT $3) ORDER BY position DESC`,
          [last?.entry ?? before, kind, most],
        ),
      ),
    async entryOfDecision(decisionId) {
      const found = await rows.get<{ position: number }>(
        'SELECT seq AS position FROM decision WHERE id = $1 AND hash IS NOT NULL',
        [decisionId],
      );
      return found?.position;
    },
    async logHead(of) {
      return { size: of, root: await tree.root({ start: 0, end: of }) };
    },
    inclusionProof: (entry, of) => Promise.all(inclusionRanges(entry, of).map((range) => tree.root(range))),
    consistencyProof: (oldSize, of) => Promise.all(consistencyRanges(oldSize, of).map((range) => tree.root(range))),
    subtreeHashes: (range) => tree.subtrees(range),
    async saveCheckpoint({ size, at, note }) {
      await writer.run((writing) =>
        writing.run(
          `INSERT INTO log_checkpoint (size, at, note) VALUES ($1, $2, $3)
           ON CONFLICT (size) DO UPDATE SET at = excluded.at, note = excluded.note`,
          [size, at, note],
        ),
      );
    },
    newestCheckpoint: () => rows.get<LogCheckpoint>(`${CHECKPOINT} ORDER BY size DESC LIMIT 1`),
    listCheckpoints: ({ after, limit }) =>
      rows.all<LogCheckpoint>(`${CHECKPOINT} WHERE size > $1 ORDER BY size LIMIT $2`, [after, limit]),
  };
};
