import { boundToCall, detached } from '../../base/caller.ts';
import type { PolicyRevision } from '../policy-store.ts';
import type { DecisionDraft, LedgerFacts, LedgerPart } from '../decision-store.ts';
import type { StoredReservation } from '../reserves.ts';
import type { LedgerView } from './ledger.ts';
import { storeError } from './errors.ts';
import type { SettingsVersions } from './settings-cache.ts';
import type { Transaction } from './writer.ts';

/** Input and output of a write in a shared transaction. */
export interface SharedCommit {
  readonly writing: Transaction;
  readonly ledger: LedgerView;
  /** Versions of the settings, as seen within the transaction. */
  readonly versions: () => SettingsVersions;
  /** Adds a decision. @returns its `seq` */
  readonly append: (
    draft: DecisionDraft,
    revision: PolicyRevision | undefined,
    reservations?: readonly StoredReservation[],
  ) => Promise<number>;
}

/** A write that shares its transaction with others. It throws, or returns undefined, before it has added anything. */
export interface DecisionWrite<T> {
  readonly parts: readonly LedgerPart[];
  readonly settings?: LedgerFacts['settings'];
  readonly run: (deciding: SharedCommit) => T | Promise<T>;
}

/** Runs writes of concurrent callers in shared transactions. */
export interface Commits {
  /** @returns the result of the write, once it is durable */
  run<T>(write: DecisionWrite<T>): Promise<T>;
  /** Resolves when all writes passed in so far are done. */
  drain(): Promise<void>;
}

interface PendingWrite {
  readonly write: DecisionWrite<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** More would delay other engines' decisions. */
const MAX_AT_ONCE = 256;

/**
 * Each transaction serves all requests that arrived while the previous one was written, by this engine or another one.
 *
 * @param commit takes the writes once no other engine writes, runs them in one transaction, and returns how each ended
 */
export const createCommits = (
  commit: (take: () => readonly DecisionWrite<unknown>[]) => Promise<PromiseSettledResult<unknown>[]>,
): Commits => {
  const queue: PendingWrite[] = [];
  let running: Promise<void> | undefined;

  const settle = ({ resolve, reject }: PendingWrite, result: PromiseSettledResult<unknown> | undefined): void => {
    if (result?.status === 'fulfilled') resolve(result.value);
    else reject(result?.reason);
  };
  const takeQueued = (): PendingWrite[] => queue.splice(0, MAX_AT_ONCE);
  const commitAll = async (take: () => readonly PendingWrite[]): Promise<void> => {
    let taken: readonly PendingWrite[] | undefined;
    const takeOnce = (): readonly PendingWrite[] => (taken ??= take());
    try {
      const results = await commit(() => takeOnce().map(({ write }) => write));
      for (const [index, pending] of takeOnce().entries()) settle(pending, results[index]);
    } catch (error) {
      const batch = takeOnce();
      // A write that the database refuses must not fail the others. If the connection is lost, it is unknown what was
      // written.
      if (batch.length > 1 && storeError(error) === error) for (const one of batch) await commitAll(() => [one]);
      else for (const { reject } of batch) reject(error);
    }
  };
  const runAll = async (): Promise<void> => {
    while (queue.length > 0) await commitAll(takeQueued);
    running = undefined;
  };
  return {
    run: <T>(write: DecisionWrite<T>) =>
      new Promise<T>((resolve, reject) => {
        const { run } = write;
        let given: SharedCommit | undefined;
        const inCall = boundToCall(() => given && run(given));
        const bound = (deciding: SharedCommit) => {
          given = deciding;
          return inCall();
        };
        queue.push({ write: { ...write, run: bound }, resolve: (value) => resolve(value as T), reject });
        running ??= detached(() => Promise.resolve().then(runAll));
      }),
    drain: () => running ?? Promise.resolve(),
  };
};
