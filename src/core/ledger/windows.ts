/** Times in epoch ms. */
export interface LimitWindow {
  /** 0 for the first window since the limit was set. */
  readonly index: number;
  /** Null for a lifetime. */
  readonly endsAt: number | null;
}

/**
 * The window that contains `now`: `startTimeInEpoch + k · durationInMs` (behaviour 5.7). If the clock was set back to
 * before the limit's start, this is the first window.
 */
export const windowAt = (
  { startTimeInEpoch, durationInMs }: { readonly startTimeInEpoch: number; readonly durationInMs?: number | undefined },
  now: number,
): LimitWindow => {
  if (durationInMs === undefined) return { index: 0, endsAt: null };
  const index = Math.max(0, Math.floor((now - startTimeInEpoch) / durationInMs));
  return { index, endsAt: startTimeInEpoch + (index + 1) * durationInMs };
};

/**
 * The maximum number of windows that a period can overlap. Both lengths in ms; `durationInMs` is undefined for a window
 * that never ends.
 */
export const windowsWithin = (periodMs: number, durationInMs: number | undefined): number =>
  durationInMs === undefined ? 1 : Math.ceil(periodMs / durationInMs) + 1;
