/** The copy may be this far behind. */
export const LATE_MS = 10_000;

export const secondsText = (ms: number): string => `${Math.round(ms / 1000)} s`;
