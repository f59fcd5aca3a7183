const UNITS = [
  { word: 'day', seconds: 86_400 },
  { word: 'hour', seconds: 3_600 },
  { word: 'minute', seconds: 60 },
] as const;

/** A whole number of seconds, in the largest unit that divides it: `1 hour`, `90 minutes`, `61 seconds`. */
export const spanWords = (seconds: number): string => {
  const unit = UNITS.find((one) => seconds % one.seconds === 0) ?? { word: 'second', seconds: 1 };
  const count = seconds / unit.seconds;
  return `${count} ${unit.word}${count === 1 ? '' : 's'}`;
};
