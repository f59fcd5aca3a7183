import type { DecisionRecord, FeedPage } from '../../shared/schema/decision.ts';
import type { Store } from '../store/store.ts';
import { type MadeDecisions, createMadeDecisions } from './made-decisions.ts';

/** Someone who follows the decisions. */
export interface Subscription {
  /** No call of the listener begins after this. */
  cancel(): void;
  /** Resolves when it was cancelled, rejects with what the listener or the store threw. */
  readonly ended: Promise<void>;
}

/** Whose decisions are told: those for the DApps of an account, or for one DApp. */
export interface Whose {
  readonly accountId?: string;
  readonly paymasterId?: string;
}

/** Decisions as they are made, and as settlement changes them. Nothing is told before it is durable. */
export interface DecisionFeed {
  /** The same store, but what it writes is told to the subscribers. */
  readonly store: Store;
  /** Calls `listener` with each decision of this engine, once it is durable. @returns ends that */
  readonly onOwn: MadeDecisions['onOwn'];
  /** Calls `listener` with each decision made from now on, by whichever engine, once it is durable. @returns ends that */
  readonly onMade: MadeDecisions['onMade'];
  /** Tells what other engines have committed. To be called once before they do, too: what there is then is not told. */
  readonly othersCommitted: () => Promise<void>;
  /**
   * Calls `listener` with every whole decision whose `seq` is greater than `after`, oldest first: those that are stored,
   * then those to come, each once. The next call waits for the promise the listener answers: nothing piles up for a slow
   * one.
   *
   * @param after undefined: only those to come. Whoever has seen more than there is, after a restored backup, gets these too
   * @param whose undefined: everybody's
   */
  readonly subscribe: (
    after: number | undefined,
    listener: (decision: DecisionRecord) => void | Promise<void>,
    whose?: Whose,
  ) => Subscription;
  /**
   * Likewise calls `listener` with the pages of the feed after a position. The first page comes at once, though it be
   * empty: it says where the feed stands.
   */
  readonly follow: (after: number | undefined, listener: (page: FeedPage) => void | Promise<void>) => Subscription;
}

const PAGE = 100;

/** No position is beyond it. */
const END = Number.MAX_SAFE_INTEGER;

/** What is read at once: everything after a position up to `upTo`. */
interface Page {
  readonly upTo: number;
  readonly more: boolean;
}

/**
 * The feed of a store. A commit only wakes the subscribers; each reads on from the last position it has seen. So replay
 * and live are one thing, and there is no seam between them where a decision could be lost or told twice.
 *
 * @param isFollowed false while `onMade` is to tell nothing
 */
export const createDecisionFeed = (store: Store, isFollowed = (): boolean => true): DecisionFeed => {
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

  const all = createMadeDecisions(store, isFollowed);
  const made = <T extends DecisionRecord | undefined>(decision: T): T => {
    if (decision !== undefined) all.made(decision);
    return committed(decision);
  };

  /** Reads pages and tells them, until it is cancelled. */
  const start = <P extends Page>(
    after: number | undefined,
    read: (after: number) => Promise<P>,
    tell: (page: P, isCancelled: () => boolean) => void | Promise<void>,
  ): Subscription => {
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
    const run = async (): Promise<void> => {
      let cursor = after ?? END;
      while (!isCancelled()) {
        const seen = commits;
        const page = await read(cursor);
        if (!isCancelled()) await tell(page, isCancelled);
        cursor = page.upTo;
        if (page.more) await turn();
        else if (commits === seen && !isCancelled()) await nextCommit();
      }
    };

    return {
      ended: run(),
      cancel() {
        cancelled = true;
        wake();
      },
    };
  };

  return {
    onOwn: all.onOwn,
    onMade: all.onMade,
    othersCommitted() {
      committed(undefined);
      return all.readOthers();
    },
    subscribe: (after, listener, whose) =>
      start(
        after,
        (from) => store.pageDecisions({ after: from, limit: PAGE, ...whose }),
        async ({ decisions }, isCancelled) => {
          for (const decision of decisions) if (!isCancelled()) await listener(decision);
        },
      ),
    follow(after, listener) {
      let isFirst = true;
      const tell = async (page: FeedPage): Promise<void> => {
        if (isFirst || page.rows.length > 0) await listener(page);
        isFirst = false;
      };
      return start(after, (from) => store.pageFeed({ after: from, limit: PAGE }), tell);
    },
    store: {
      ...store,
      decideAndReserve: (...args) => store.decideAndReserve(...args).then(made),
      appendDecision: (...args) => store.appendDecision(...args).then(made),
      applySettlements: (...args) => store.applySettlements(...args).then(committed),
      endReservations: (...args) => store.endReservations(...args).then(committed),
    },
  };
};
