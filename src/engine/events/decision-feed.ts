import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Store } from '../store/store.ts';

/** Someone who follows the decisions. */
export interface Subscription {
  /** No call of the listener begins after this. */
  cancel(): void;
  /** Resolves when it was cancelled, rejects with what the listener or the store threw. */
  readonly ended: Promise<void>;
}

/**
 * Calls `listener` with every decision whose `seq` is greater than `after`, oldest first: those that are stored, then
 * those to come, each once and none before it is durable. The next call waits for the promise the listener answers:
 * nothing piles up for a slow one.
 *
 * @param accountId only decisions for the DApps of this account
 */
export type Subscribe = (
  after: number,
  listener: (decision: DecisionRecord) => void | Promise<void>,
  accountId?: string,
) => Subscription;

/** Decisions as they are made. */
export interface DecisionFeed {
  /** The same store, but what it writes is told to the subscribers. */
  readonly store: Store;
  readonly subscribe: Subscribe;
}

const PAGE = 100;

/**
 * The feed of a store. A commit only wakes the subscribers; each reads on from the last `seq` it has seen. So replay and
 * live are one thing, and there is no seam between them where a decision could be lost or told twice.
 */
export const createDecisionFeed = (store: Store): DecisionFeed => {
  const asleep = new Set<() => void>();
  let commits = 0;
  let lastTurn = Promise.resolve();
  /** A round of the event loop of one's own: in between, everything else that waits is done. */
  const turn = (): Promise<void> => {
    lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
    return lastTurn;
  };

  const committed = <T>(written: T): T => {
    commits += 1;
    for (const wake of asleep) wake();
    return written;
  };

  const subscribe: Subscribe = (after, listener, accountId) => {
    let cancelled = false;
    let wake = (): void => undefined;
    // A function, since TypeScript does not see that it changes while something is awaited.
    const isCancelled = (): boolean => cancelled;

    const nextCommit = async (): Promise<void> => {
      await new Promise<void>((resolve) => {
        wake = resolve;
        asleep.add(wake);
      });
      asleep.delete(wake);
    };
    const follow = async (): Promise<void> => {
      let cursor = after;
      while (!isCancelled()) {
        const seen = commits;
        const { decisions, upTo, more } = await store.pageDecisions({ after: cursor, limit: PAGE, accountId });
        for (const decision of decisions) {
          if (isCancelled()) return;
          await listener(decision);
        }
        cursor = upTo;
        if (more) await turn();
        else if (commits === seen && !isCancelled()) await nextCommit();
      }
    };

    return {
      ended: follow(),
      cancel() {
        cancelled = true;
        wake();
      },
    };
  };

  return {
    subscribe,
    store: {
      ...store,
      decideAndReserve: (facts, conclude) => store.decideAndReserve(facts, conclude).then(committed),
      appendDecision: (decision) => store.appendDecision(decision).then(committed),
    },
  };
};
