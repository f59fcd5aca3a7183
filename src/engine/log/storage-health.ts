import type { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Snapshots } from '../store/snapshots.ts';

/** Whether the desk can still store what it decides. */
export interface StorageHealth {
  /** To be told of each failure of the store. */
  readonly failed: (fault: EngineError) => void;
  /**
   * Why the last write failed, or that the disk is full; undefined while there is room and once a write succeeds, which is
   * tried. A damaged database stays one.
   */
  readonly problem: (store: Pick<Snapshots, 'tryWrite'>) => Promise<string | undefined>;
}

const NO_ROOM = 'The disk of the data folder is full, so the next decision cannot be stored. Free space there';

/** At most one look at the disk and one trial write in this time, since anyone may ask. */
const TRY_MS = 1_000;

interface StorageHealthOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether more can be written than what is tried, which takes hardly any room. */
  readonly hasRoom: () => Promise<boolean>;
}

/** Keeps the last failure of a store. */
export const createStorageHealth = ({ clock, hasRoom }: StorageHealthOptions): StorageHealth => {
  let fault: EngineError | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let isFull = false;
  const isDamaged = (): boolean => fault?.data['damaged'] === true;
  const succeeds = (store: Pick<Snapshots, 'tryWrite'>): Promise<boolean> =>
    store.tryWrite().then(
      () => true,
      () => false,
    );
  return {
    failed(next) {
      if (!isDamaged()) fault = next;
    },
    async problem(store) {
      if (!isDamaged() && clock.monotonic() - triedAt >= TRY_MS) {
        triedAt = clock.monotonic();
        const before = fault;
        isFull = !(await hasRoom());
        if (before !== undefined && !isFull && (await succeeds(store)) && fault === before) fault = undefined;
      }
      return fault?.message ?? (isFull ? NO_ROOM : undefined);
    },
  };
};
