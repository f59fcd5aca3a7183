import type { DecisionRecord, FeedPage } from '../../shared/schema/decision.ts';
import type { DecisionPage } from '../store/decision-queries.ts';
import type { Store } from '../store/store.ts';
import { type MadeDecisions, createMadeDecisions } from './made-decisions.ts';
import { type PageRead, type SharedReads, createSharedReads } from './shared-reads.ts';

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
   * then those to come, each once, some at a time. The next call waits for the promise the listener answers: nothing piles
   * up for a slow one.
   *
   * @param after undefined: only those to come. If it is beyond the end, after a restored backup, the caller still gets new ones
   * @param whose undefined: everybody's
   */
  readonly subscribe: (
    after: number | undefined,
    listener: (decisions: readonly DecisionRecord[]) => void | Promise<void>,
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

/** How many subscribers are woken before everything else has its turn. */
const WOKEN_AT_ONCE = 8;

/**
 * The feed of a store. A commit only wakes the subscribers; each reads on from the last position it has seen. So replay
 * and live are one thing, and there is no seam between them where a decision could be lost or told twice. Those who have
 * seen everything share what is read, and leave every other round of the event loop to everything else.
 *
 * @param isFollowed false while `onMade` is to tell nothing
 */
export const createDecisionFeed = (store: Store, isFollowed = (): boolean => true): DecisionFeed => {
  const asleep = new Set<() => void>();
  let commits = 0;
  let [isTelling, isDue] = [false, false];
  let lastTurn = Promise.resolve();
  /** A round of the event loop of one's own: in between, everything else that waits is done. */
  const turn = (): Promise<void> => {
    lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
    return lastTurn;
  };

  /** The account of each DApp that has been told of. */
  const accounts = new Map<string, string | undefined>();
  const readDecisions = async (after: number, whose: Whose = {}): Promise<DecisionPage> => {
    const page = await store.pageDecisions({ after, limit: PAGE, ...whose });
    for (const { paymasterId } of page.decisions) {
      if (!accounts.has(paymasterId)) accounts.set(paymasterId, (await store.findPaymaster(paymasterId))?.accountId);
    }
    return page;
  };
  /** Those of each that was told of a page: who may know the same is told the same array. */
  const parts = new WeakMap<DecisionPage, Map<string, readonly DecisionRecord[]>>();
  const partOf = (page: DecisionPage, { accountId, paymasterId }: Whose): readonly DecisionRecord[] => {
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

  /** Wakes those who are asleep, some in each round of the event loop, and then rests for as many rounds. */
  const tellAll = async (): Promise<void> => {
    const sleepers = [...asleep];
    for (let woken = 0; woken < sleepers.length; woken += WOKEN_AT_ONCE) {
      for (const wake of sleepers.slice(woken, woken + WOKEN_AT_ONCE)) wake();
      await turn();
    }
    await Promise.all([decisionReads.settled(), rowReads.settled()]);
    for (let rested = 0; rested < sleepers.length; rested += WOKEN_AT_ONCE) await turn();
  };
  /** Has all told what was committed: now, or after those who are just being told of what came before. */
  const wakeAll = (): void => {
    isDue = true;
    if (isTelling || asleep.size === 0) return;
    [isTelling, isDue] = [true, false];
    void tellAll().then(() => {
      isTelling = false;
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

  /** Reads pages and tells them, until it is cancelled: by `read` while it is behind, then by `shared` where it can. */
  const start = <P extends Page>(
    after: number | undefined,
    read: (after: number) => Promise<P>,
    shared: SharedReads<P>,
    tell: (page: P) => void | Promise<void>,
  ): Subscription => {
    let cancelled = false;
    let wake = (): void => undefined;
    // A function, since TypeScript does not see that it changes while something is awaited.
    const isCancelled = (): boolean => cancelled;

    /** Waits for a commit after those that there had been at `at`. */
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
        if (!isCancelled()) await tell(page);
        cursor = page.upTo;
        isBehind = page.more;
        if (page.more) await turn();
        else if (!isCancelled()) await nextCommit(taken.at);
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
    subscribe: (after, listener, whose = {}) =>
      start(
        after,
        (from) => readDecisions(from, whose),
        decisionReads,
        async (page) => {
          const part = partOf(page, whose);
          if (part.length > 0) await listener(part);
        },
      ),
    follow(after, listener) {
      let isFirst = true;
      const tell = async (page: FeedPage): Promise<void> => {
        if (isFirst || page.rows.length > 0) await listener(page);
        isFirst = false;
      };
      return start(after, (from) => store.pageFeed({ after: from, limit: PAGE }), rowReads, tell);
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
