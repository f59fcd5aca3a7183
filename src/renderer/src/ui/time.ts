const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
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

/** Day and time to the minute, where there is no room for more. */
export const shortTime = (at: number): string => short.format(at);
/** The time of day to the second, in the operator's time zone. */
export const clockTime = (at: number): string => clock.format(at);

/** How long ago, in whole minutes, hours or days. A clock that was set back makes nothing lie in the future. */
export const relativeTime = (at: number, now: number): string => {
  const age = now - at;
  const [unit, ms] = STEPS.find(([, step]) => age >= step) ?? [];
  return unit === undefined || ms === undefined ? 'just now' : relative.format(-Math.floor(age / ms), unit);
};
