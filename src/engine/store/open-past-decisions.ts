import type { PastDecisions, PastQuery } from './past-decisions.ts';
import { openSqlitePastDecisions } from './sqlite/past-decisions.ts';

/** Where past decisions are, as a thread can be told: it is sent no `Secret`. */
export interface PastPlace {
  /** Path of the SQLite file, where there is no URL. */
  readonly file: string;
  /** Of a PostgreSQL database. */
  readonly url: string | undefined;
}

/**
 * Reads past decisions beside a desk that goes on writing.
 *
 * @throws Error of the database
 */
export const openPastDecisions = async ({ file, url }: PastPlace, query: PastQuery): Promise<PastDecisions> => {
  if (url === undefined) return openSqlitePastDecisions(file, query);
  const { openPostgresPastDecisions } = await import('./postgres/past-decisions.ts');
  return openPostgresPastDecisions(url, query);
};
