import type Database from 'better-sqlite3';
import { boundToCall, detached } from '../../base/caller.ts';
import type { SlowLog } from './slow-log.ts';

/** Runs writes of concurrent callers in shared transactions. */
export interface GroupCommit {
  /**
   * Runs `write` in the next shared transaction. If a write throws, only this write is undone. The other writes then
   * run a second time, so a write must not affect anything except the database.
   *
   * @returns what `write` returned, once it is durable
   */
  run<T>(write: () => T): Promise<T>;
  /**
   * The same for a write in two parts. `begin` returns the second part. Between the two, only the first parts of other
   * such writes run, so they can use that time, for example for a signature in another thread. The second parts run in
   * the order of the first ones.
   */
  runInParts<T>(begin: () => () => T): Promise<T>;
  /** Resolves when all writes passed in so far are durable. */
  drain(): Promise<void>;
}

interface PendingWrite {
  /** Returns the second part, whose result is that of the write. */
  readonly first: () => () => unknown;
  /** The write has no second part: all earlier writes must be complete before it. */
  readonly isWhole: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Settles the promise of one write, after the commit. */
type Settle = () => void;

/** Functions that run with every shared transaction. */
export interface CommitHooks {
  /** Runs first. */
  readonly begin: () => void;
  /** Runs last: writes what the transaction changed in memory. */
  readonly save: () => void;
  /** Called if the changes in memory since the last `save` have been undone. */
  readonly undone: () => void;
  /** Runs after each commit, before its callers get their results. */
  readonly committed: () => void;
  /** Called after `committed`. Callers wait for the promise, and get its error if it rejects. */
  readonly confirm: () => Promise<void> | undefined;
}

const nothing = (): void => undefined;
const NO_HOOKS: CommitHooks = {
  begin: nothing,
  save: nothing,
  undone: nothing,
  committed: nothing,
  confirm: () => undefined,
};

/**
 * One flush to disk serves all requests in flight: writes that arrive before the next turn of the event loop are
 * committed together.
 */
export const createGroupCommit = (
  database: Database.Database,
  timed: SlowLog,
  { begin, save, undone, committed, confirm }: CommitHooks = NO_HOOKS,
): GroupCommit => {
  let queue: PendingWrite[] = [];
  let isScheduled = false;
  let drained: (() => void)[] = [];

  const commitTogether = database.transaction((batch: readonly PendingWrite[]): Settle[] => {
    begin();
    const settles: Settle[] = [];
    let begun: { readonly second: () => unknown; readonly resolve: PendingWrite['resolve'] }[] = [];
    const complete = (): void => {
      for (const { second, resolve } of begun) {
        const result = second();
        settles.push(() => resolve(result));
      }
      begun = [];
    };
    for (const { first, isWhole, resolve } of batch) {
      if (isWhole) complete();
      begun.push({ second: first(), resolve });
    }
    complete();
    save();
    return settles;
  });

  /** @param failed called with the error of the write itself */
  const inSavepoint = database.transaction((write: () => unknown, failed: (error: unknown) => void) => {
    try {
      begin();
      const result = write();
      // The savepoint of a later write may be undone. The changes of this write must not be undone with it.
      save();
      return result;
    } catch (error) {
      failed(error);
      throw error;
    }
  });
  const commitApart = database.transaction((batch: readonly PendingWrite[]): Settle[] => {
    begin();
    save();
    return batch.map(({ first, resolve, reject }) => {
      let own: unknown;
      try {
        const result = inSavepoint(
          () => first()(),
          (error) => (own = error),
        );
        return () => resolve(result);
      } catch (error) {
        // If the disk failed, SQLite has rolled back everything, or could not undo this write alone. In both cases,
        // only the whole batch can report the error.
        if (!database.inTransaction || error !== own) throw error;
        undone();
        return () => reject(error);
      }
    });
  });

  /**
   * A savepoint per write would make every request slower, although only one in a million needs it. So only a failed
   * batch uses savepoints.
   */
  const commit = (batch: readonly PendingWrite[]): Settle[] => {
    try {
      return commitTogether.immediate(batch);
    } catch {
      undone();
      return commitApart.immediate(batch);
    }
  };

  const flush = (): void => {
    const batch = queue;
    queue = [];
    isScheduled = false;
    try {
      const settles = timed('commit', () => commit(batch), batch.length);
      committed();
      const confirming = confirm();
      const settleAll = (): void => settles.forEach((settle) => settle());
      if (confirming === undefined) settleAll();
      else confirming.then(settleAll, (error: unknown) => batch.forEach(({ reject }) => reject(error)));
    } catch (error) {
      // The transaction itself failed, for example because the disk is full. Nothing of the batch was written.
      undone();
      for (const pending of batch) pending.reject(error);
    }
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      detached(flush);
      const ended = drained;
      drained = [];
      for (const resolve of ended) resolve();
    });
  };

  const enqueue = <T>(first: () => () => T, isWhole: boolean): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      queue.push({ first: boundToCall(first), isWhole, resolve: (value) => resolve(value as T), reject });
      schedule();
    });

  return {
    run: <T>(write: () => T) =>
      enqueue(() => {
        const result = write();
        return () => result;
      }, true),
    runInParts: (begin) => enqueue(begin, false),
    drain: () => (isScheduled ? new Promise((resolve) => drained.push(resolve)) : Promise.resolve()),
  };
};
