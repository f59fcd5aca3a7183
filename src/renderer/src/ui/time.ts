const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Date and time to the second, in the operator's time zone. */
export const exactTime = (at: number): string => exact.format(at);

/** Day and time to the minute, for small spaces. */
export const shortTime = (at: number): string => short.format(at);
/** The time of day to the second, in the operator's time zone. */
export const clockTime = (at: number): string => clock.format(at);

/** Elapsed time in whole minutes, hours or days. A time in the future, as after a clock was set back, counts as now. */
export const relativeTime = (at: number, now: number): string => {
  const age = now - at;
  const [unit, ms] = STEPS.find(([, step]) => age >= step) ?? [];
  return unit === undefined || ms === undefined ? 'just now' : relative.format(-Math.floor(age / ms), unit);
};

const MINUTE_MS = 60_000;

/** Remaining time in its two largest units, rounded up: `1 h 12 min`. */
export const durationWords = (ms: number): string => {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return hours % 24 === 0 ? `${Math.floor(hours / 24)} days` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
};

/** The browser's time zone, in which dates are typed. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
