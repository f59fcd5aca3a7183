import type Database from 'better-sqlite3';

/** Runs writes of concurrent callers in shared transactions. */
export interface GroupCommit {
  /**
   * Runs `write` in the next shared transaction. A write that throws is undone alone; the others stand.
   *
   * @returns what `write` returned, once it is durable
   */
  run<T>(write: () => T): Promise<T>;
  /** Resolves when everything handed in so far is durable. */
  drain(): Promise<void>;
}

interface Pending {
  /** Runs the write and answers what settles its promise once the transaction stands. */
  execute(): () => void;
  reject(error: unknown): void;
}

/**
 * One flush to disk serves all requests that are in flight: writes that arrive before the event loop comes round are
 * committed together, each inside a savepoint of its own.
 */
export const createGroupCommit = (database: Database.Database): GroupCommit => {
  let queue: Pending[] = [];
  let scheduled: Promise<void> | undefined;

  const commit = database.transaction((batch: readonly Pending[]) => batch.map((pending) => pending.execute()));

  const flush = (): void => {
    const batch = queue;
    queue = [];
    scheduled = undefined;
    try {
      for (const settle of commit.immediate(batch)) settle();
    } catch (error) {
      // The transaction itself failed, on a full disk for one: nothing of the batch was written.
      for (const pending of batch) pending.reject(error);
    }
  };

  const schedule = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(() => {
        flush();
        resolve();
      });
    });

  return {
    run: (write) =>
      new Promise((resolve, reject) => {
        const alone = database.transaction(write);
        queue.push({
          reject,
          execute() {
            try {
              const result = alone();
              return () => resolve(result);
            } catch (error) {
              // A failed disk has rolled back everything; only the batch as a whole can tell so.
              if (!database.inTransaction) throw error;
              return () => reject(error);
            }
          },
        });
        scheduled ??= schedule();
      }),
    drain: () => scheduled ?? Promise.resolve(),
  };
};
