import type Database from 'better-sqlite3';
import { type EntryBody, type EntryKind, entryText } from '../../../core/log/entry.ts';
import { consistencyRanges, inclusionRanges } from '../../../core/log/merkle-tree.ts';
import { type AccountKey, type AccountKind, accountText } from '../../../core/ledger/account.ts';
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
  start(earlierDecisions?: number): void;
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
  const startedLast = (earlierDecisions = 0): Last => {
    const before = lastOfBatch ?? last.get();
    if (before !== undefined && started !== undefined && started <= before.position) return before;
    const entered = write(before, 'start', JSON.stringify({ engine: version, earlierDecisions }), null);
    started = entered?.position;
    return entered;
  };
  const append = (kind: EntryKind, body: string, decisionSeq: number | null = null): void => {
    const entered = write(startedLast(), kind, body, decisionSeq);
    if (lastOfBatch !== null) lastOfBatch = entered;
  };
  return {
    start: (earlierDecisions) => void startedLast(earlierDecisions),
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

/** Earlier decisions per transaction, or accounts per entry. */
const BATCH_SIZE = 5_000;

/** No re-org removes blocks further below the last one read. */
const RE_ORG_BLOCKS = 10_000;

type OpeningLedger = EntryBody<'ledger'>;

interface AccountRow {
  kind: AccountKind;
  id: string;
  window: number;
  user: string;
}

type OpeningReservation = AccountRow &
  Omit<OpeningLedger['reservations'][number], 'account' | 'ofWei'> & { readonly ofWei: string | null };

/** Besides rolling windows, which return nothing, only accounts of limits have windows. */
const keyOfRow = ({ kind, id, window, user }: AccountRow): AccountKey => ({
  kind,
  id,
  ...(kind === 'limit' && { window }),
  ...(user !== '' && { user }),
});

/**
 * Enters what was decided before the log existed: policy revisions, decisions, and the ledger amounts that may still be
 * returned. Continues after an interruption.
 */
const enterEarlier = (database: Database.Database, log: LogWriter): void => {
  const find = database.prepare<[], string>(`SELECT body FROM log_entry WHERE position = 0`).pluck();
  const count = database.prepare<[], number>('SELECT count(*) FROM decision').pluck();
  const isOpened = database.prepare<[], number>(`SELECT 1 FROM log_entry WHERE kind = 'ledger' LIMIT 1`).pluck();
  const entered = database
    .prepare<[], number>(
      'SELECT decision_seq FROM log_entry WHERE decision_seq IS NOT NULL ORDER BY position DESC LIMIT 1',
    )
    .pluck();
  const revisions = database.prepare<[], { paymasterId: string; hash: string; policy: string }>(
    `SELECT paymaster_id AS paymasterId, hash, policy FROM policy_revision AS revision
     ORDER BY (SELECT max(seq) FROM policy_history WHERE policy_history.hash = revision.hash), at, hash`,
  );
  const decisions = database.prepare<[number, number], { seq: number; record: string }>(
    'SELECT seq, record FROM decision WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const accounts = database.prepare<[], OpeningLedger['accounts'][number]>(
    `SELECT kind, id, window, user, held FROM ledger_account WHERE held <> '0' ORDER BY account_id`,
  );
  const reservations = database.prepare<[], OpeningReservation>(
    `SELECT decision.id AS decision, kind, account.id, window, user, follows, reserved, reservation.held,
       of_wei AS ofWei
     FROM decision JOIN ledger_reservation AS reservation ON decision_seq = seq
       JOIN ledger_account AS account USING (account_id)
       LEFT JOIN chain_cursor USING (chain_id)
     WHERE settlement = 'reserved' OR settled_block >= block - ${RE_ORG_BLOCKS} ORDER BY seq`,
  );
  const begin = database.transaction((): void => {
    log.start(count.get() ?? 0);
    for (const { paymasterId, hash, policy } of revisions.all()) {
      log.append('policy', { paymasterId, hash, policy: JSON.parse(policy) });
    }
  });
  const enterSome = database.transaction((): boolean => {
    const some = decisions.all(entered.get() ?? 0, BATCH_SIZE);
    for (const { seq, record } of some) log.appendDecision(seq, record);
    return some.length === BATCH_SIZE;
  });
  const open = database.transaction((): void => {
    const held = accounts.all();
    const open = reservations.all().map(({ decision, kind, id, window, user, ofWei, ...rest }) => {
      const account = accountText(keyOfRow({ kind, id, window, user }));
      return { decision, account, ...rest, ...(ofWei !== null && { ofWei }) };
    });
    do {
      log.append('ledger', { accounts: held.splice(0, BATCH_SIZE), reservations: open.splice(0, BATCH_SIZE) });
    } while (held.length + open.length > 0);
  });
  const first = find.get();
  if (first === undefined) {
    if (count.get() === 0) return;
    begin.immediate();
  } else if ((JSON.parse(first) as EntryBody<'start'>).earlierDecisions === 0 || isOpened.get() !== undefined) return;
  while (enterSome.immediate());
  open.immediate();
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
    async enterEarlier() {
      enterEarlier(database, log);
    },
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
