/** What was read after a position, and how many commits there had been when the reading began. */
export interface PageRead<P> {
  readonly page: Promise<P>;
  readonly at: number;
}

/** Reads of a feed by those who have seen all of it: what one of them reads is read for all. */
export interface SharedReads<P> {
  /** What comes after a position, if that is where the feed has been read to; undefined for who is behind. */
  readonly after: (position: number) => PageRead<P> | undefined;
  /** Resolves when the last read has ended. */
  readonly settled: () => Promise<void>;
}

interface LastRead<P> extends PageRead<P> {
  readonly after: number;
  /** Undefined until it has been read. */
  upTo?: number;
}

/**
 * Shares the reads of a feed.
 *
 * @param commits how many there have been: what was read before the last one is out of date
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
      // Even where more has been committed since, those who are not quite as far take what was read.
      if (after === position && (at === commits() || (upTo ?? 0) > after)) return last;
      return upTo !== undefined && position >= upTo ? readOn(position) : undefined;
    },
    async settled() {
      await last?.page.catch(() => undefined);
    },
  };
};
