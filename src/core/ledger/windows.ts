/** A fixed window of a spending limit. Times in epoch ms. */
export interface LimitWindow {
  /** 0 for the first window since the limit was set. */
  readonly index: number;
  /** Null for a window without an end. */
  readonly endsAt: number | null;
}

/**
 * The window that `now` lies in: `startTimeInEpoch + k · durationInMs` (behaviour 5.7). A clock that was set back before
 * the limit's start stays in the first window.
 */
export const windowAt = (
  { startTimeInEpoch, durationInMs }: { readonly startTimeInEpoch: number; readonly durationInMs?: number | undefined },
  now: number,
): LimitWindow => {
  if (durationInMs === undefined) return { index: 0, endsAt: null };
  const index = Math.max(0, Math.floor((now - startTimeInEpoch) / durationInMs));
  return { index, endsAt: startTimeInEpoch + (index + 1) * durationInMs };
};

/** How many windows of that length (undefined: without an end) there can be of which a time so long has a moment. Both in ms. */
export const windowsWithin = (periodMs: number, durationInMs: number | undefined): number =>
  durationInMs === undefined ? 1 : Math.ceil(periodMs / durationInMs) + 1;
