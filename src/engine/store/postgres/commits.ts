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

/** The second part of a write; undefined if the write has nothing to store. */
type Second<T> = (() => Steps<T>) | undefined;

/** Runs writes of concurrent callers in shared transactions. */
export interface Commits {
  /** Runs a write. @returns its result, once it is durable */
  run<T>(write: DecisionWrite<T>): Promise<T>;
  /** The same for a write in two parts, see `Access.decideInParts`. */
  runInParts<T>(write: DecisionWrite<Second<T>>): Promise<T | undefined>;
  /** Resolves when all writes passed in so far are done. */
  drain(): Promise<void>;
}

interface PendingWrite {
  readonly parts: readonly LedgerPart[];
  /** Returns the second part, whose result is that of the write. */
  readonly first: (tx: Transaction) => Promise<() => Promise<unknown>>;
  /** The write has no second part: all earlier writes must be complete before it. */
  readonly isWhole: boolean;
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
        let begun: { readonly second: () => Promise<unknown>; readonly resolve: PendingWrite['resolve'] }[] = [];
        const complete = async (): Promise<void> => {
          for (const { second, resolve } of begun) {
            const value = await second();
            results.push(() => resolve(value));
          }
          begun = [];
        };
        for (const { first, isWhole, resolve, reject } of batch) {
          if (isWhole) await complete();
          await first(tx).then(
            (second) => void begun.push({ second, resolve }),
            (error: unknown) => void results.push(() => reject(error)),
          );
        }
        await complete();
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
  const enqueue = <T>(
    { parts, steps }: DecisionWrite<T>,
    secondOf: (result: T) => () => Promise<unknown>,
    isWhole: boolean,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      let given: Transaction | undefined;
      const inCall = boundToCall(async () => given && runSteps(steps(given)));
      const first: PendingWrite['first'] = async (tx) => {
        given = tx;
        return secondOf((await inCall()) as T);
      };
      queue.push({ parts, first, isWhole, resolve, reject });
      running ??= detached(() => Promise.resolve().then(runAll));
    });
  return {
    run: <T>(write: DecisionWrite<T>) => enqueue(write, (result) => async () => result, true) as Promise<T>,
    runInParts: <T>(write: DecisionWrite<Second<T>>) =>
      enqueue(write, (second) => async () => second && runSteps(second()), false) as Promise<T | undefined>,
    drain: () => running ?? Promise.resolve(),
  };
};
