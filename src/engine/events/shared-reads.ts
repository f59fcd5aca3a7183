export interface PageRead<P> {
  readonly page: Promise<P>;
  readonly at: number;
}

export interface SharedReads<P> {
  /**
   * The page after a position, if the feed was read up to that position; undefined for a subscriber that is further
   * behind.
   */
  readonly after: (position: number) => PageRead<P> | undefined;
  readonly settled: () => Promise<void>;
}

interface LastRead<P> extends PageRead<P> {
  readonly after: number;
  upTo?: number;
}

/**
 * Lets subscribers share the reads of a feed.
 *
 * @param commits returns the number of commits so far; a read from before the last commit is out of date
 */
export const createSharedReads = <P extends { readonly upTo: number }>(
  read: (after: number) => Promise<P>,
  commits: () => number,
): SharedReads<P> => {
  let last: LastRead<P> | undefined;

  const readOn = (after: number): LastRead<P> => {
    const reading: LastRead<P> = { after, at: commits(), page: read(after) };
    last = reading;
    reading.page.then(
      ({ upTo }) => (reading.upTo = upTo),
      () => (last = undefined),
    );
    return reading;
  };

  return {
    after(position) {
      if (last === undefined) return readOn(position);
      const { after, at, upTo } = last;
      // Even after further commits, this page can be sent to a subscriber that is slightly behind.
      if (after === position && (at === commits() || (upTo ?? 0) > after)) return last;
      return upTo !== undefined && position >= upTo ? readOn(position) : undefined;
    },
    async settled() {
      await last?.page.catch(() => undefined);
    },
  };
};
