const MAX_CHARACTERS = 80;

/** A value as a fault shows it; "nothing" for a missing one. */
export const shortened = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
};
