/** A query whose answers are kept. */
export interface Remembered<Args extends readonly (string | number)[], Value> {
  get(...args: Args): Value | undefined;
  /** To be called after every write that may change an answer. */
  forget(): void;
}

/**
 * Spares the requests of every second what changes once a month. Only this process writes to the database (the data
 * folder is locked), so what it has read stays true until it writes. What is not there is asked for each time:
 * strangers must not fill the memory with names of their own.
 */
export const remembered = <Args extends readonly (string | number)[], Value extends object>(
  read: (...args: Args) => Value | undefined,
): Remembered<Args, Value> => {
  const known = new Map<string, Value>();
  return {
    get(...args) {
      const key = args.join(' ');
      const kept = known.get(key);
      if (kept !== undefined) return kept;
      const value = read(...args);
      // Frozen, since everybody gets the same object.
      if (value !== undefined) known.set(key, Object.freeze(value));
      return value;
    },
    forget: () => known.clear(),
  };
};
