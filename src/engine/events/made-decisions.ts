import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { DecisionQueries } from '../store/decision-queries.ts';

/** Decisions as they are made, by this engine or by another one on the same database: each is told once. */
export interface MadeDecisions {
  /** Calls `listener` with each decision of this engine. @returns ends that */
  readonly onOwn: (listener: (decision: DecisionRecord) => void) => () => void;
  /** Calls `listener` with each decision made from now on, while they are followed. @returns ends that */
  readonly onMade: (listener: (decision: DecisionRecord) => void) => () => void;
  /** To be called with every decision of this engine once it is durable. */
  readonly made: (decision: DecisionRecord) => void;
  /** Reads and tells what other engines have decided since they are followed. */
  readonly readOthers: () => Promise<void>;
}

const PAGE = 100;
const END = Number.MAX_SAFE_INTEGER;

/**
 * Own decisions are told without reading them. All up to `told` are told; of those beyond, the own ones are remembered, so
 * that they are left out where the others are read. An engine alone leaves no gaps: it remembers none and reads none.
 *
 * @param isFollowed false while nobody on this engine is to be told of all decisions: to read what others make costs as much
 *   as making it. What was decided meanwhile is not told later
 */
export const createMadeDecisions = (
  store: Pick<DecisionQueries, 'pageDecisions'>,
  isFollowed: () => boolean,
): MadeDecisions => {
  const ownListeners = new Set<(decision: DecisionRecord) => void>();
  const listeners = new Set<(decision: DecisionRecord) => void>();
  const own = new Set<number>();
  let told: number | undefined;
  let reading: Promise<void> = Promise.resolve();

  const tell = (decision: DecisionRecord): void => {
    for (const listener of listeners) listener(decision);
  };
  const forget = (): void => {
    told = undefined;
    own.clear();
  };
  const readOn = async (): Promise<void> => {
    if (!isFollowed()) forget();
    for (let more = isFollowed(); more;) {
      const page = await store.pageDecisions({ after: told ?? END, limit: PAGE });
      for (const decision of page.decisions) {
        if (decision.seq > (told ?? 0) && !own.has(decision.seq)) tell(decision);
      }
      told = Math.max(told ?? 0, page.upTo);
      for (const seq of own) if (seq <= told) own.delete(seq);
      ({ more } = page);
    }
  };
  /** One after the other. What could not be read is read the next time. */
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
      if (told !== undefined && seq <= told) return;
      own.add(seq);
      // The first one: what was decided before is not told.
      told ??= seq - 1;
      while (own.delete(told + 1)) told += 1;
      tell(decision);
      if (own.size >= PAGE) void readOthers().catch(() => undefined);
    },
    readOthers,
  };
};
