import type { PastDecisions, PastQuery } from './past-decisions.ts';
import { openReads } from './sqlite/open-reads.ts';
import { pastDecisions } from './tables/past-decisions.ts';

/** Location of past decisions as plain text, since a `Secret` cannot be sent to a thread. */
export interface PastPlace {
  /** Path of the SQLite file, used without a URL. */
  readonly file: string;
  /** URL of the PostgreSQL database; undefined for SQLite. */
  readonly url: string | undefined;
}

/**
 * Reads past decisions with its own connection, while the engine continues to write.
 *
 * @throws Error of the database
 */
export const openPastDecisions = async ({ file, url }: PastPlace, query: PastQuery): Promise<PastDecisions> => {
  const { rows, close } =
    url === undefined ? openReads(file) : await (await import('./postgres/open-reads.ts')).openReads(url);
  return { ...(await pastDecisions(rows, query)), close };
};
