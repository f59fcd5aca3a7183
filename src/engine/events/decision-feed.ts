import type { DecisionRecord, FeedPage } from '../../shared/schema/decision.ts';
import type { DecisionPage } from '../store/decision-queries.ts';
import type { Store } from '../store/store.ts';
import { type MadeDecisions, createMadeDecisions } from './made-decisions.ts';
import { type PageRead, type SharedReads, createSharedReads } from './shared-reads.ts';

export interface Subscription {
  /** After this call, the listener is not called any more. */
  cancel(): void;
  /** Resolves after cancellation. Rejects with the error of the listener or the store. */
  readonly ended: Promise<void>;
}

/** Selects decisions: those of an account's DApps, or of one DApp. */
export interface FeedFilter {
  readonly accountId?: string;
  readonly paymasterId?: string;
}

/** Sends each decision when it is made and when it is settled, but only after it is durable. */
export interface DecisionFeed {
  /** The same store, whose writes are also sent to subscribers. */
  readonly store: Store;
  /** Calls `listener` with each durable decision of this engine. @returns a function that unsubscribes */
  readonly onOwn: MadeDecisions['onOwn'];
  /**
   * Calls `listener` with each durable decision that any engine makes from now on. @returns a function that
   * unsubscribes
   */
  readonly onMade: MadeDecisions['onMade'];
  /** Sends what other engines have committed. The first call, before they commit, only sets the starting position. */
  readonly othersCommitted: () => Promise<void>;
  /**
   * Calls `listener` with every complete decision whose `seq` is greater than `after`, each once, oldest first, in
   * pages: first the stored decisions, then new ones. The next call waits for the listener's promise, so that nothing
   * piles up for a slow listener.
   *
   * @param after undefined for only new decisions; beyond the last decision (after a restored backup), also only new
   * ones
   * @param filter undefined for all decisions
   */
  readonly subscribe: (
    after: number | undefined,
    listener: (decisions: readonly DecisionRecord[]) => void | Promise<void>,
    filter?: FeedFilter,
  ) => Subscription;
  /**
   * Like {@link subscribe}, but with pages of the feed. The first page comes immediately, even if it is empty, because
   * it contains the feed's position.
   */
  readonly follow: (after: number | undefined, listener: (page: FeedPage) => void | Promise<void>) => Subscription;
  /** Cancels all subscriptions, also those that are still made. */
  readonly stop: () => void;
}

const PAGE = 100;

const END = Number.MAX_SAFE_INTEGER;

/** The result of one read: everything after a position, up to `upTo`. */
interface Page {
  readonly upTo: number;
  readonly more: boolean;
}

/** Subscribers woken per turn of the event loop. */
const WOKEN_AT_ONCE = 8;

/**
 * The feed of a store. A commit only wakes the subscribers; each then reads from its own position. So stored and new
 * decisions are read in the same way, and no decision is lost or sent twice. Subscribers that are up to date share
 * reads. After each turn in which subscribers were woken, the event loop gets one turn for other work.
 *
 * @param isFollowed false while `onMade` should stay silent
 */
export const createDecisionFeed = (store: Store, isFollowed = (): boolean => true): DecisionFeed => {
  const asleep = new Set<() => void>();
  const stopping = new AbortController();
  let commits = 0;
  let [isWaking, isDue] = [false, false];
  let lastTurn = Promise.resolve();
  /** Waits for the next turn of the event loop, so that other work can run. */
  const turn = (): Promise<void> => {
    lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
    return lastTurn;
  };

  const accounts = new Map<string, string | undefined>();
  const readDecisions = async (after: number, filter: FeedFilter = {}): Promise<DecisionPage> => {
    const page = await store.pageDecisions({ after, limit: PAGE, ...filter });
    for (const { paymasterId } of page.decisions) {
      if (!accounts.has(paymasterId)) accounts.set(paymasterId, (await store.findDapp(paymasterId))?.accountId);
    }
    return page;
  };
  /** Parts of each page by filter. Equal filters get the same array. */
  const parts = new WeakMap<DecisionPage, Map<string, readonly DecisionRecord[]>>();
  const partOf = (page: DecisionPage, { accountId, paymasterId }: FeedFilter): readonly DecisionRecord[] => {
    const known = parts.get(page) ?? new Map<string, readonly DecisionRecord[]>();
    parts.set(page, known);
    const name = JSON.stringify([accountId, paymasterId]);
    const part =
      known.get(name) ??
      page.decisions.filter(
        (decision) =>
          (paymasterId === undefined || decision.paymasterId === paymasterId) &&
          (accountId === undefined || accounts.get(decision.paymasterId) === accountId),
      );
    known.set(name, part);
    return part;
  };
  const decisionReads = createSharedReads(
    (after) => readDecisions(after),
    () => commits,
  );
  const rowReads = createSharedReads(
    (after) => store.pageFeed({ after, limit: PAGE }),
    () => commits,
  );

  /** Wakes the sleeping subscribers, a few per turn of the event loop, and then waits for as many turns. */
  const wakeInTurns = async (): Promise<void> => {
    const sleepers = [...asleep];
    for (let woken = 0; woken < sleepers.length; woken += WOKEN_AT_ONCE) {
      for (const wake of sleepers.slice(woken, woken + WOKEN_AT_ONCE)) wake();
      await turn();
    }
    await Promise.all([decisionReads.settled(), rowReads.settled()]);
    for (let rested = 0; rested < sleepers.length; rested += WOKEN_AT_ONCE) await turn();
  };
  /** Wakes all subscribers for the last commit: now, or after the current round of waking. */
  const wakeAll = (): void => {
    isDue = true;
    if (isWaking || asleep.size === 0) return;
    [isWaking, isDue] = [true, false];
    void wakeInTurns().then(() => {
      isWaking = false;
      if (isDue) wakeAll();
    });
  };
  const committed = <T>(written: T): T => {
    commits += 1;
    wakeAll();
    return written;
  };

  const all = createMadeDecisions(store, isFollowed);
  const made = <T extends DecisionRecord | undefined>(decision: T): T => {
    if (decision !== undefined) all.made(decision);
    return committed(decision);
  };

  /**
   * Reads and sends pages until cancelled: with `read` while the subscriber is behind, and later with `shared` if
   * possible.
   */
  const start = <P extends Page>(
    after: number | undefined,
    read: (after: number) => Promise<P>,
    shared: SharedReads<P>,
    send: (page: P) => void | Promise<void>,
  ): Subscription => {
    let cancelled = stopping.signal.aborted;
    let wake = (): void => undefined;
    const cancel = (): void => {
      cancelled = true;
      wake();
    };
    stopping.signal.addEventListener('abort', cancel);
    // A function, because TypeScript does not consider that the value changes during an await.
    const isCancelled = (): boolean => cancelled;

    const nextCommit = async (at: number): Promise<void> => {
      await new Promise<void>((resolve) => {
        wake = resolve;
        asleep.add(wake);
        if (commits !== at) wakeAll();
      });
      asleep.delete(wake);
    };
    const run = async (): Promise<void> => {
      let cursor = after ?? END;
      let isBehind = true;
      while (!isCancelled()) {
        const at = commits;
        const taken: PageRead<P> = (isBehind ? undefined : shared.after(cursor)) ?? { page: read(cursor), at };
        const page = await taken.page;
        if (!isCancelled()) await send(page);
        cursor = page.upTo;
        isBehind = page.more;
        if (page.more) await turn();
        else if (!isCancelled()) await nextCommit(taken.at);
      }
    };

    return { ended: run().finally(() => stopping.signal.removeEventListener('abort', cancel)), cancel };
  };

  return {
    onOwn: all.onOwn,
    onMade: all.onMade,
    othersCommitted() {
      committed(undefined);
      return all.readOthers();
    },
    subscribe: (after, listener, filter = {}) =>
      start(
        after,
        (from) => readDecisions(from, filter),
        decisionReads,
        async (page) => {
          const part = partOf(page, filter);
          if (part.length > 0) await listener(part);
        },
      ),
    follow(after, listener) {
      let isFirst = true;
      const send = async (page: FeedPage): Promise<void> => {
        if (isFirst || page.rows.length > 0) await listener(page);
        isFirst = false;
      };
      return start(after, (from) => store.pageFeed({ after: from, limit: PAGE }), rowReads, send);
    },
    stop: () => stopping.abort(),
    store: {
      ...store,
      decideAndReserve: (...args) => store.decideAndReserve(...args).then(made),
      appendDecision: (...args) => store.appendDecision(...args).then(made),
      applySettlements: (...args) => store.applySettlements(...args).then(committed),
      endReservations: (...args) => store.endReservations(...args).then(committed),
    },
  };
};
