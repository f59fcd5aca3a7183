import { type EntryBody, type EntryKind, entryText } from '../../../core/log/entry.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256Text } from '../../base/sha256.ts';
import { version } from '../../base/version.ts';
import type { DecisionEntry } from '../log-rows.ts';
import type { DeskHead } from './desk-head.ts';
import { completeTiles } from './log-tree.ts';
import type { Rows } from './rows.ts';

/** Enters events in the log. The transaction of an event writes its entries at its end. */
export interface LogWriter {
  append<Kind extends EntryKind>(kind: Kind, body: EntryBody<Kind>): void;
  /** Enters that an operation's settlement changed. */
  appendSettlement(seq: number, body: EntryBody<'settlement'>): void;
  /** Enters a decision. Its row, which the caller writes, is the entry. */
  appendDecision(record: string): DecisionEntry;
  /** Enters that the engine runs, unless entered. Called automatically before the first entry. */
  start(): void;
  readonly isStarted: () => boolean;
  flush(): Promise<void>;
}

interface EntryRow {
  readonly position: number;
  readonly at: number;
  readonly kind: EntryKind;
  readonly hash: Buffer;
  readonly settles: number | null;
  readonly body: string;
}

const INSERT = `INSERT INTO log_entry (position, at, kind, hash, settles, body)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bytea[], $5::bigint[], $6::text[])`;

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

  /** Takes the next position. */
  const next = (kind: EntryKind, body: string): Pick<EntryRow, 'position' | 'at' | 'hash'> => {
    const at = Math.max(clock.now(), head.logAt);
    const position = head.logSize;
    const text = entryText({ entry: position, at, kind, previous: head.logHash?.toString('hex') ?? null }, body);
    // A leaf's hash input begins with a zero byte.
    const hash = sha256Text(`\0${text}`);
    head.logAt = at;
    head.logHash = hash;
    head.logSize += 1;
    return { position, at, hash };
  };
  const write = (kind: EntryKind, body: string, settles: number | null): void => {
    entries.push({ ...next(kind, body), kind, settles, body });
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
    appendSettlement(seq, body) {
      start();
      write('settlement', JSON.stringify(body), seq);
    },
    appendDecision(record) {
      start();
      const { position, at, hash } = next('decision', record);
      return { seq: position, enteredAt: at, hash };
    },
    start,
    isStarted: () => isStarted,
    async flush() {
      const column = <Name extends keyof EntryRow>(name: Name): EntryRow[Name][] => entries.map((entry) => entry[name]);
      if (entries.length > 0) {
        await rows.run(INSERT, [
          column('position'),
          column('at'),
          column('kind'),
          column('hash'),
          column('settles'),
          column('body'),
        ]);
      }
      await completeTiles(rows, { from: first, to: head.logSize });
    },
  };
};
