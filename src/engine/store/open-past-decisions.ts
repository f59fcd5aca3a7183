import type { PastDecisions, PastQuery } from './past-decisions.ts';
import { openReads } from './sqlite/open-reads.ts';
import { pastDecisions } from './tables/past-decisions.ts';

/** Location of past decisions as plain text, since a `Secret` cannot be sent to a thread. */
export interface PastPlace {
  /** Path of the SQLite file, used without a URL. */
  readonly file: string;
  /** Of a PostgreSQL database. */
  readonly url: string | undefined;
}

/**
 * Reads past decisions while a desk continues to write, with its own connection.
 *
 * @throws Error of the database
 */
export const openPastDecisions = async ({ file, url }: PastPlace, query: PastQuery): Promise<PastDecisions> => {
  const { rows, close } =
    url === undefined ? openReads(file) : await (await import('./postgres/open-reads.ts')).openReads(url);
  return { ...(await pastDecisions(rows, query)), close };
};
