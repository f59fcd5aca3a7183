import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Draw } from '../support/draw.ts';

/** How a process ends without warning. */
export type Ending =
  /** The process is killed: what it wrote to files stays. */
  | 'kill'
  /** The power fails: of what no fsync has reached, any part may be missing. */
  | 'power';

/** When it ends: between two steps, or within the next commit of the database. */
export type Moment = 'now' | 'before commit' | 'in commit' | 'after commit';

type Run = (...args: unknown[]) => unknown;
type Transaction = Run & Record<'deferred' | 'immediate' | 'exclusive', Run>;

/** How a disk fails or delays what is written to it. */
export interface DiskFaults {
  /** Percent of commits without room, and of single writes. */
  full: number;
  /** Percent of single reads that fail. */
  unreadable: number;
  /** The longest that a commit takes, ms. */
  slowMs: number;
}

interface Watch {
  readonly file: string;
  /** Called before each write in a transaction. @param undoes true if it is the rollback to a savepoint */
  readonly writing: (database: Database.Database, undoes: boolean) => void;
  /** Called before each read of the engine. */
  readonly reading: (database: Database.Database) => void;
  /** Called in the transaction, right before its COMMIT, and after it. */
  readonly committing: (database: Database.Database) => void;
  readonly committed: (database: Database.Database) => void;
}

const watches = new Set<Watch>();
const originalTransaction = Database.prototype.transaction as unknown as (
  this: Database.Database,
  run: Run,
) => Transaction;

const watchOf = (database: Database.Database): Watch | undefined =>
  [...watches].find(({ file }) => file === database.name);

/** Watches the commits of every database of this process. SQLite has no hook that sees a commit before and after. */
Database.prototype.transaction = function (this: Database.Database, run: Run) {
  const made = originalTransaction.call(this, (...args: unknown[]) => {
    const isOutermost = !nested.has(this);
    if (isOutermost) nested.add(this);
    try {
      const result = run(...args);
      if (isOutermost) watchOf(this)?.committing(this);
      return result;
    } finally {
      if (isOutermost) nested.delete(this);
    }
  });
  const wrapped =
    (call: Run): Run =>
    (...args) => {
      const isOutermost = !nested.has(this);
      const result = call(...args);
      if (isOutermost) watchOf(this)?.committed(this);
      return result;
    };
  const { deferred, immediate, exclusive } = made;
  return Object.assign(wrapped(made), {
    deferred: wrapped(deferred),
    immediate: wrapped(immediate),
    exclusive: wrapped(exclusive),
  });
} as unknown as typeof Database.prototype.transaction;

/** Databases with a transaction in progress. */
const nested = new WeakSet<Database.Database>();

const statements = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as Record<
  'run' | 'get' | 'all',
  Run
>;
const originalRun = statements.run;
/** What a disk can fail before the commit. Undoing a whole transaction needs nothing from it. */
const WRITE = /^\s*(INSERT|UPDATE|DELETE|SAVEPOINT|RELEASE|ROLLBACK TO)/i;
/** A disk that failed a write may well fail this too. */
const UNDO = /^\s*ROLLBACK TO/i;
statements.run = function (this: Database.Statement, ...values: unknown[]) {
  const { database, source } = this;
  if (WRITE.test(source) && nested.has(database)) watchOf(database)?.writing(database, UNDO.test(source));
  return originalRun.apply(this, values);
};

for (const name of ['get', 'all'] as const) {
  const original = statements[name];
  statements[name] = function (this: Database.Statement, ...values: unknown[]) {
    const { database, source } = this;
    // The simulation reads as well, past the engine, and asks for settings of the connection.
    if (!database.readonly && !source.startsWith('PRAGMA')) watchOf(database)?.reading(database);
    return original.apply(this, values);
  };
}

/** What SQLite does if it cannot read: it undoes the transaction. */
const failToRead = (database: Database.Database): never => {
  if (database.inTransaction) database.exec('ROLLBACK');
  throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_READ');
};

/** What SQLite does without room on the disk. It may undo the transaction itself. */
const failForRoom = (database: Database.Database, isUndone: boolean): never => {
  if (isUndone && database.inTransaction) database.exec('ROLLBACK');
  throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
};

/** A write without room while a disk is full: few fail before their commit, as SQLite writes to memory first. */
const WRITES_IN_A_COMMIT = 20;

const WAL = 'gasdesk.db-wal';
const LOG_END = 'log-end';
/** What a file system writes at once. */
const SECTOR = 4_096;
/** `PRAGMA synchronous`: every commit is flushed. */
const FULL = 2;

const bytesOf = (file: string): Buffer => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0));

/** A file of which some writes have reached the disk, and others have not. */
const torn = (before: Buffer, after: Buffer, draw: Draw): Buffer => {
  const mixed = Buffer.alloc(Math.max(before.length, after.length));
  let length = 0;
  for (let at = 0; at < mixed.length; at += SECTOR) {
    const source = draw.chance(50) ? after : before;
    const part = source.subarray(at, at + SECTOR);
    part.copy(mixed, at);
    if (part.length > 0) length = at + part.length;
  }
  return mixed.subarray(0, length);
};

/** The disk below a data folder, and what is on it after a process ended without warning. */
export class Disk {
  readonly #dir: string;
  readonly #draw: Draw;
  readonly #watch: Watch;
  /** What was on disk when the process began. */
  readonly #first: ReadonlyMap<string, Buffer>;
  /** False: a commit has been confirmed that was not flushed. */
  #isFlushed = true;
  #walBefore: Buffer = Buffer.alloc(0);
  #ending: { readonly ending: Ending; readonly moment: Moment; readonly ended: () => void } | undefined;
  #left: Map<string, Buffer> | undefined;

  /** @param slow called with the time that a commit takes, ms */
  constructor(dir: string, draw: Draw, faults: DiskFaults, slow: (ms: number) => void) {
    this.#dir = dir;
    this.#draw = draw;
    this.#first = new Map([WAL, LOG_END].map((name) => [name, this.#read(name)]));
    this.#watch = {
      file: join(dir, 'gasdesk.db'),
      writing: (database, undoes) => {
        const percent = undoes ? faults.full : faults.full / WRITES_IN_A_COMMIT;
        if (percent > 0 && draw.chance(percent)) failForRoom(database, !undoes && draw.chance(50));
      },
      reading: (database) => {
        if (faults.unreadable > 0 && draw.chance(faults.unreadable)) failToRead(database);
      },
      committing: (database) => {
        if (this.#ending?.moment === 'before commit') this.#end();
        if (faults.slowMs > 0) slow(draw.below(faults.slowMs));
        if (faults.full > 0 && draw.chance(faults.full)) failForRoom(database, true);
        if (this.#ending?.moment === 'in commit') this.#walBefore = this.#read(WAL);
      },
      committed: (database) => {
        this.#isFlushed = database.pragma('synchronous', { simple: true }) === FULL;
        if (this.#ending?.moment === 'in commit') this.#end(this.#inCommit(this.#ending.ending));
        if (this.#ending?.moment === 'after commit') this.#end();
      },
    };
    watches.add(this.#watch);
  }

  get hasEnded(): boolean {
    return this.#left !== undefined;
  }

  /** Ends the process at a moment. `ended` is called then; whatever the process does later is not on the disk. */
  end(ending: Ending, moment: Moment, ended: () => void): void {
    this.#ending = { ending, moment, ended };
    if (moment === 'now') this.#end();
  }

  /** Puts what is left into a new folder. */
  leaveIn(dir: string): void {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    for (const [name, bytes] of this.#left ?? []) writeFileSync(join(dir, name), bytes, { mode: 0o600 });
  }

  close(): void {
    watches.delete(this.#watch);
  }

  #read(name: string): Buffer {
    return bytesOf(join(this.#dir, name));
  }

  #inCommit(ending: Ending): Buffer {
    return ending === 'power' ? torn(this.#walBefore, this.#read(WAL), this.#draw) : this.#walBefore;
  }

  #end(wal?: Buffer): void {
    if (this.#ending === undefined) return;
    const { ending, ended } = this.#ending;
    this.#ending = undefined;
    const left = new Map<string, Buffer>();
    for (const name of readdirSync(this.#dir)) if (isKept(name)) left.set(name, this.#read(name));
    if (ending === 'power') {
      // The flush of the file that records the log's end may be older than its content.
      for (const [name, bytes] of this.#first) {
        if (name === WAL ? !this.#isFlushed : this.#draw.chance(50)) left.set(name, bytes);
      }
    }
    if (wal !== undefined && (this.#isFlushed || ending === 'kill')) left.set(WAL, wal);
    this.#left = left;
    ended();
  }
}

/** Files that outlive a process: not its locks, its sockets and SQLite's shared memory. */
const isKept = (name: string): boolean => !/^(engine[.].*|run|.*-shm)$/.test(name);

/** Copies the files of a stopped engine. */
export const copyFolder = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from)) if (isKept(name)) copyFileSync(join(from, name), join(to, name));
};
