import type { PastDecisions, PastQuery, SampledDecisions } from './past-decisions.ts';
import type { Reads } from './rows.ts';
import { openReads } from './sqlite/open-reads.ts';
import { pastDecisions, sampledDecisions } from './tables/past-decisions.ts';

/** Location of past decisions as plain text, since a `Secret` cannot be sent to a thread. */
export interface PastPlace {
  /** Path of the SQLite file, used without a URL. */
  readonly file: string;
  /** URL of the PostgreSQL database; undefined for SQLite. */
  readonly url: string | undefined;
}

const openOwnReads = async ({
  file,
  url,
}: PastPlace): Promise<{ readonly rows: Reads; readonly close: () => void | Promise<void> }> =>
  url === undefined ? openReads(file) : (await import('./postgres/open-reads.ts')).openReads(url);

/**
 * Reads past decisions with its own connection, while the engine continues to write.
 *
 * @throws Error of the database
 */
export const openPastDecisions = async (place: PastPlace, query: PastQuery): Promise<PastDecisions> => {
  const { rows, close } = await openOwnReads(place);
  return { ...(await pastDecisions(rows, query)), close };
};

/** Reads past decisions like {@link openPastDecisions}, and first a sample of this size. */
export const openSampledDecisions = async (
  place: PastPlace,
  query: PastQuery,
  size: number,
): Promise<SampledDecisions> => {
  const { rows, close } = await openOwnReads(place);
  return { ...(await sampledDecisions(rows, query, size)), close };
};
