import type { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Snapshots } from '../store/snapshots.ts';

export interface StorageHealth {
  readonly failed: (error: EngineError) => void;
  /**
   * Why the last write failed, or that the disk is full. Undefined while there is enough disk space, and again after a
   * trial write has succeeded. A damaged database stays damaged.
   */
  readonly problem: (store: Pick<Snapshots, 'tryWrite'>) => Promise<string | undefined>;
}

const NO_ROOM = 'The disk of the data folder is full, so the next decision cannot be stored. Free space there';

/** At most one disk check and one trial write per interval, because anyone may request health. */
const TRY_MS = 1_000;

interface StorageHealthOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether there is enough disk space for more than the small trial write. */
  readonly hasRoom: () => Promise<boolean>;
}

export const createStorageHealth = ({ clock, hasRoom }: StorageHealthOptions): StorageHealth => {
  let error: EngineError | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let isFull = false;
  const isDamaged = (): boolean => error?.data['damaged'] === true;
  const succeeds = (store: Pick<Snapshots, 'tryWrite'>): Promise<boolean> =>
    store.tryWrite().then(
      () => true,
      () => false,
    );
  return {
    failed(next) {
      if (!isDamaged()) error = next;
    },
    async problem(store) {
      if (!isDamaged() && clock.monotonic() - triedAt >= TRY_MS) {
        triedAt = clock.monotonic();
        const before = error;
        isFull = !(await hasRoom());
        if (before !== undefined && !isFull && (await succeeds(store)) && error === before) error = undefined;
      }
      return error?.message ?? (isFull ? NO_ROOM : undefined);
    },
  };
};
