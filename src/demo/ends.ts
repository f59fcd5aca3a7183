/** What has to be ended, in the opposite order of its start. */
export interface Ends {
  add(end: () => unknown): void;
  /** Ends everything. Repeating it does nothing. */
  all(): Promise<void>;
}

export const createEnds = (): Ends => {
  const ends: (() => unknown)[] = [];
  return {
    add: (end) => void ends.push(end),
    async all() {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
    },
  };
};
