import type { PastDecisions, PastQuery } from './past-decisions.ts';
import { openSqlitePastDecisions } from './sqlite/past-decisions.ts';

/** Location of past decisions as plain text, since a `Secret` cannot be sent to a thread. */
export interface PastPlace {
  /** Path of the SQLite file, used without a URL. */
  readonly file: string;
  /** URL of the PostgreSQL database; undefined for SQLite. */
  readonly url: string | undefined;
}

/**
 * Reads past decisions while the engine continues to write.
 *
 * @throws Error of the database
 */
export const openPastDecisions = async ({ file, url }: PastPlace, query: PastQuery): Promise<PastDecisions> => {
  if (url === undefined) return openSqlitePastDecisions(file, query);
  const { openPostgresPastDecisions } = await import('./postgres/past-decisions.ts');
  return openPostgresPastDecisions(url, query);
};
