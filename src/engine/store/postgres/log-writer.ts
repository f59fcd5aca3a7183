import { type EntryBody, type EntryKind, entryText } from '../../../core/log/entry.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/sha256.ts';
import { version } from '../../base/version.ts';
import type { DeskHead } from './desk-head.ts';
import { completeTiles } from './log-tree.ts';
import type { Rows } from './rows.ts';

/** Enters events in the log. The transaction of an event writes its entries at its end. */
export interface LogWriter {
  append<Kind extends EntryKind>(kind: Kind, body: EntryBody<Kind>): void;
  /** Enters a decision with its record's text. */
  appendDecision(seq: number, record: string): void;
  /** Enters that the engine runs, unless entered. Called automatically before the first entry. */
  start(): void;
  readonly isStarted: () => boolean;
  flush(): Promise<void>;
}

interface EntryRow {
  readonly at: number;
  readonly kind: EntryKind;
  readonly previous: Buffer | null;
  readonly hash: Buffer;
  readonly seq: number | null;
  readonly body: string | null;
}

const INSERT = `INSERT INTO log_entry (position, at, kind, previous, hash, decision_seq, body)
  SELECT $1::bigint + place - 1, at, kind, previous, hash, seq, body
  FROM unnest($2::bigint[], $3::text[], $4::bytea[], $5::bytea[], $6::bigint[], $7::text[])
    WITH ORDINALITY AS entry (at, kind, previous, hash, seq, body, place)`;

interface LogWriterOptions {
  readonly rows: Rows;
  readonly head: DeskHead;
  readonly clock: Clock;
  /** Whether this engine has entered its start in an earlier transaction. */
  readonly isStarted: boolean;
}

/** The writing side of the log, for one transaction. */
export const createLogWriter = async ({ rows, head, clock, ...before }: LogWriterOptions): Promise<LogWriter> => {
  const first = head.logSize;
  const entries: EntryRow[] = [];
  let { isStarted } = before;
  const held = isStarted ? [] : await rows.all<{ hold: number }>('SELECT hold_id AS hold FROM ledger_hold ORDER BY 1');

  const write = (kind: EntryKind, body: string, seq: number | null): void => {
    const at = Math.max(clock.now(), head.logAt);
    const previous = head.logHash;
    const text = entryText({ entry: head.logSize, at, kind, previous: previous?.toString('hex') ?? null }, body);
    // A leaf's hash input begins with a zero byte.
    const hash = Buffer.from(sha256(Buffer.from(`\0${text}`)));
    entries.push({ at, kind, previous, hash, seq, body: seq === null ? body : null });
    head.logAt = at;
    head.logHash = hash;
    head.logSize += 1;
  };
  const start = (): void => {
    if (isStarted) return;
    isStarted = true;
    // Holds of other engines continue.
    const holds = held.length === 0 ? {} : { holds: held.map(({ hold }) => hold) };
    write('start', JSON.stringify({ engine: version, ...holds }), null);
  };
  return {
    append(kind, body) {
      start();
      write(kind, JSON.stringify(body), null);
    },
    appendDecision(seq, record) {
      start();
      write('decision', record, seq);
    },
    start,
    isStarted: () => isStarted,
    async flush() {
      if (entries.length === 0) return;
      const column = <Name extends keyof EntryRow>(name: Name): EntryRow[Name][] => entries.map((entry) => entry[name]);
      await rows.run(INSERT, [
        first,
        column('at'),
        column('kind'),
        column('previous'),
        column('hash'),
        column('seq'),
        column('body'),
      ]);
      await completeTiles(rows, { from: first, to: head.logSize });
    },
  };
};
