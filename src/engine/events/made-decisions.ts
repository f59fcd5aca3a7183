import type { Store } from '../store/store.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';

/** Sends each decision once, whether this engine or another engine on the same database made it. */
export interface MadeDecisions {
  /** Calls `listener` with each decision of this engine. @returns a function that unsubscribes */
  readonly onOwn: (listener: (decision: DecisionRecord) => void) => () => void;
  /**
   * Calls `listener` with each decision made from now on, while decisions are followed. @returns a function that
   * unsubscribes
   */
  readonly onMade: (listener: (decision: DecisionRecord) => void) => () => void;
  /** Must be called with every decision of this engine once it is durable. */
  readonly made: (decision: DecisionRecord) => void;
  /** Reads and sends what other engines have decided, while decisions are followed. */
  readonly readOthers: () => Promise<void>;
}

const PAGE = 100;
const END = Number.MAX_SAFE_INTEGER;

/**
 * Sends this engine's decisions without reading them from the store. After a gap in the sequence, it remembers its own
 * decisions, so that it can skip them when it reads those of other engines. An engine that runs alone leaves no gaps,
 * so it remembers and reads nothing.
 *
 * @param isFollowed false while this engine has no listener for all decisions, because reading other engines' decisions
 * costs as much as making them; decisions made meanwhile are not sent later
 */
export const createMadeDecisions = (store: Pick<Store, 'pageDecisions'>, isFollowed: () => boolean): MadeDecisions => {
  const ownListeners = new Set<(decision: DecisionRecord) => void>();
  const listeners = new Set<(decision: DecisionRecord) => void>();
  const own = new Set<number>();
  let sentUpTo: number | undefined;
  let reading: Promise<void> = Promise.resolve();

  const send = (decision: DecisionRecord): void => {
    for (const listener of listeners) listener(decision);
  };
  const forget = (): void => {
    sentUpTo = undefined;
    own.clear();
  };
  const readOn = async (): Promise<void> => {
    if (!isFollowed()) forget();
    for (let more = isFollowed(); more;) {
      const page = await store.pageDecisions({ after: sentUpTo ?? END, limit: PAGE });
      for (const decision of page.decisions) {
        if (decision.seq > (sentUpTo ?? 0) && !own.has(decision.seq)) send(decision);
      }
      sentUpTo = Math.max(sentUpTo ?? 0, page.upTo);
      for (const seq of own) if (seq <= sentUpTo) own.delete(seq);
      ({ more } = page);
    }
  };
  /** Only one read runs at a time. If a read fails, the next one includes what it missed. */
  const readOthers = (): Promise<void> => (reading = reading.then(readOn, readOn));

  return {
    onOwn(listener) {
      ownListeners.add(listener);
      return () => ownListeners.delete(listener);
    },
    onMade(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    made(decision) {
      for (const listener of ownListeners) listener(decision);
      if (!isFollowed()) {
        forget();
        return;
      }
      const { seq } = decision;
      if (sentUpTo !== undefined && seq <= sentUpTo) return;
      own.add(seq);
      // Starts with the first decision. Earlier ones are not sent.
      sentUpTo ??= seq - 1;
      while (own.delete(sentUpTo + 1)) sentUpTo += 1;
      send(decision);
      if (own.size >= PAGE) void readOthers().catch(() => undefined);
    },
    readOthers,
  };
};
