import { boundToCall, detached } from '../../base/caller.ts';
import type { LedgerPart } from '../decision-store.ts';
import type { Transaction } from '../access.ts';
import type { Steps } from '../rows.ts';
import { storeError } from './errors.ts';
import { runSteps } from './rows.ts';
import type { Writer } from './writer.ts';

/**
 * A write that shares its transaction with others. If it throws or returns undefined, it must not have added anything.
 */
interface DecisionWrite<T> {
  /** The accounts that the write uses. */
  readonly parts: readonly LedgerPart[];
  readonly steps: (tx: Transaction) => Steps<T>;
}

/** Runs writes of concurrent callers in shared transactions. */
export interface Commits {
  /** Runs a write. @returns its result, once it is durable */
  run<T>(write: DecisionWrite<T>): Promise<T>;
  /** Resolves when all writes passed in so far are done. */
  drain(): Promise<void>;
}

interface PendingWrite {
  readonly parts: readonly LedgerPart[];
  readonly run: (tx: Transaction) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum number of writes in one transaction. More would delay the decisions of other engines. */
const MAX_AT_ONCE = 256;

/**
 * Each transaction contains all requests that arrived while the previous transaction of any engine was being written.
 */
export const createCommits = (writer: Pick<Writer, 'run'>): Commits => {
  const queue: PendingWrite[] = [];
  let running: Promise<void> | undefined;

  /** Runs writes in one transaction. @param take returns the writes; called when no other engine writes */
  const commitAll = async (take: () => readonly PendingWrite[]): Promise<void> => {
    let batch: readonly PendingWrite[] | undefined;
    try {
      const settled = await writer.run(async (tx) => {
        batch ??= take();
        const parts = batch.flatMap((write) => write.parts);
        await runSteps(tx.ledger.load(tx, parts));
        const results: (() => void)[] = [];
        for (const { run, resolve, reject } of batch) {
          results.push(
            await run(tx).then(
              (value) => () => resolve(value),
              (error: unknown) => () => reject(error),
            ),
          );
        }
        return results;
      });
      for (const settle of settled) settle();
    } catch (error) {
      const failed = batch ?? take();
      // If the database refuses one write, the others must not fail. If the connection is lost, it is unknown what was
      // written.
      if (failed.length > 1 && storeError(error) === error) for (const one of failed) await commitAll(() => [one]);
      else for (const { reject } of failed) reject(error);
    }
  };
  const runAll = async (): Promise<void> => {
    while (queue.length > 0) await commitAll(() => queue.splice(0, MAX_AT_ONCE));
    running = undefined;
  };
  return {
    run: <T>({ parts, steps }: DecisionWrite<T>) =>
      new Promise<T>((resolve, reject) => {
        let given: Transaction | undefined;
        const inCall = boundToCall(async () => given && runSteps(steps(given)));
        const run = (tx: Transaction): Promise<T | undefined> => {
          given = tx;
          return inCall();
        };
        queue.push({ parts, run, resolve: (value) => resolve(value as T), reject });
        running ??= detached(() => Promise.resolve().then(runAll));
      }),
    drain: () => running ?? Promise.resolve(),
  };
};
