import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import {
  WalBroken,
  type WalChanges,
  type WalPosition,
  isNextLog,
  isSameLog,
  readFrames,
  readWalHeader,
  walPosition,
  walStart,
} from './wal.ts';

/**
 * Reads every page that another connection commits, in order and without a gap.
 *
 * SQLite overwrites its write-ahead log only after a checkpoint has copied all of it into the database file. So the
 * other connection must not checkpoint (`wal_autocheckpoint = 0`), and this follower checkpoints only what it has read:
 * a read transaction (`pin`) keeps a checkpoint from going further. Nothing else may open the `-wal` file's database
 * for writing.
 */
export interface WalFollower {
  /**
   * Pages of transactions since the last read; undefined if nothing was committed. If there are many, only the first ones.
   *
   * @throws WalBroken if another connection has checkpointed meanwhile
   */
  readonly read: () => WalChanges | undefined;
  /** Whether the last read returned everything that was committed before it. */
  readonly hasReadAll: () => boolean;
  /** Size of the write-ahead log. */
  readonly bytes: () => number;
  /**
   * Copies what was read into the database file, and lets SQLite write its log from the beginning again. Blocks writers
   * only while it copies what they wrote during the first part.
   *
   * @returns what was read meanwhile
   */
  readonly checkpoint: () => WalChanges | undefined;
  /**
   * Copies the database into a file, in the state of the last read or a later one. Pages keep their numbers.
   *
   * @param isStopped ends the copying
   */
  readonly snapshot: (file: string, isStopped: () => boolean) => Promise<void>;
  readonly close: () => void;
}

/** How long to wait for writers before a checkpoint is put off. */
const WAIT_MS = 1_000;
/** About 4 MB, which takes some ms. */
const PAGES_PER_STEP = 1_000;

const READ = 'SELECT count(*) FROM sqlite_schema';

interface Frames {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/** Starts to follow at the newest commit. */
export const followWal = (file: string): WalFollower => {
  const open = (): Database.Database => new Database(file, { fileMustExist: true, timeout: WAIT_MS });
  const [pin, checkpointer] = [open(), open()];
  checkpointer.pragma('wal_autocheckpoint = 0');
  // A process may close this file: SQLite has no locks on it.
  const wal = existsSync(`${file}-wal`) ? openSync(`${file}-wal`, 'r') : undefined;
  if (wal === undefined) throw new WalBroken('the database has no write-ahead log');

  const frames = (mode: 'NOOP' | 'PASSIVE'): Frames => {
    const [result] = checkpointer.pragma(`wal_checkpoint(${mode})`) as Frames[];
    return result ?? { busy: 1, log: 0, checkpointed: 0 };
  };
  const hold = (): void => {
    pin.exec('BEGIN');
    pin.prepare(READ).get();
  };
  const release = (): void => {
    if (pin.inTransaction) pin.exec('ROLLBACK');
  };

  let position: WalPosition | undefined;
  let hasReadAll = true;
  /** Whether everything in the log was read and checkpointed, so that the next writer begins a new log. */
  let mayRestart = false;

  /** The log's header, with the numbers of frames in this very log. */
  const current = () => {
    for (;;) {
      const header = readWalHeader(wal);
      const { log, checkpointed } = frames('NOOP');
      const again = readWalHeader(wal);
      if (header === undefined || again === undefined) return undefined;
      if (isSameLog(header, again)) return { header, log, checkpointed };
    }
  };

  /** A function, because reading changes it. */
  const isUpToDate = (): boolean => hasReadAll;
  const readOn = (): WalChanges | undefined => {
    const now = current();
    if (now === undefined) return undefined;
    const { header, log } = now;
    let from = position ?? walStart(header);
    const isNew = !isSameLog(from, header);
    // SQLite may not have written the header of its new log yet.
    if ((isNew && !isNextLog(header, from)) || (!mayRestart && (isNew || log < from.frames))) {
      throw new WalBroken('another program has checkpointed the database');
    }
    if (isNew) from = walStart(header);
    if (log <= from.frames) return undefined;
    const { position: next, ...changes } = readFrames(wal, header, from, log);
    position = next;
    hasReadAll = next.frames === log;
    mayRestart = hasReadAll && now.checkpointed === log;
    return changes;
  };

  hold();
  const started = current();
  if (started !== undefined) {
    position = walPosition(wal, started.header, started.log);
    mayRestart = started.checkpointed === started.log;
  }
  return {
    read() {
      release();
      hold();
      return readOn();
    },
    hasReadAll: isUpToDate,
    bytes: () => fstatSync(wal).size,
    checkpoint() {
      if (!hasReadAll) return undefined;
      // Most of the work, which blocks no writer.
      frames('PASSIVE');
      release();
      try {
        pin.exec('BEGIN IMMEDIATE');
      } catch {
        hold();
        return undefined;
      }
      try {
        const changes = readOn();
        if (isUpToDate()) {
          const { log, checkpointed } = frames('PASSIVE');
          mayRestart = position?.frames === log && checkpointed === log;
        }
        return changes;
      } finally {
        release();
        hold();
      }
    },
    async snapshot(to, isStopped) {
      const source = open();
      try {
        source.exec('BEGIN');
        source.prepare(READ).get();
        await source.backup(to, {
          progress() {
            if (isStopped()) throw new Error('the copy was stopped');
            return PAGES_PER_STEP;
          },
        });
      } finally {
        source.close();
      }
    },
    close() {
      release();
      pin.close();
      checkpointer.close();
      closeSync(wal);
    },
  };
};
