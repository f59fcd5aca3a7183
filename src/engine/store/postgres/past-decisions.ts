import pg from 'pg';
import { Secret } from '../../base/secret.ts';
import type { PastDecisions, PastExtent, PastQuery } from '../past-decisions.ts';
import { configOf } from './connection.ts';
import type { StoredDecision } from '../decision-rows.ts';
import { STORED_DECISION } from './decision-queries.ts';
import { decisionReader } from './policy-revisions.ts';
import { rowsOf, type Value } from './rows.ts';

const BATCH = 100;

const WHERE = `paymaster_id = $1 AND seq > $2 AND seq <= $3 AND outcome <> 'error' AND at >= $4 AND at < $5`;

const EXTENT = `SELECT count(*) AS decisions, min(seq) AS first, max(seq) AS "upTo", min(at) AS "firstAt",
    max(at) AS "lastAt"
  FROM (SELECT seq, at FROM decision WHERE ${WHERE} ORDER BY seq DESC LIMIT $6) AS newest`;

const READ = `SELECT ${STORED_DECISION} FROM decision WHERE ${WHERE} ORDER BY seq LIMIT $6`;

interface Extent extends PastExtent {
  readonly first: number | null;
  readonly upTo: number | null;
}

/**
 * Reads past decisions with its own connection.
 *
 * @param url of the database
 */
export const openPostgresPastDecisions = async (
  url: string,
  { paymasterId, from = 0, to = Number.MAX_SAFE_INTEGER, last = Number.MAX_SAFE_INTEGER }: PastQuery,
): Promise<PastDecisions> => {
  // Counting a large DApp's decisions takes longer than a request may.
  const client = new pg.Client({ ...configOf(new Secret(url)), query_timeout: undefined });
  // Callers get the error with their results.
  client.on('error', () => undefined);
  await client.connect();
  const rows = rowsOf(client);
  const parameters = (after: number, upTo: number, most: number): Value[] => [paymasterId, after, upTo, from, to, most];
  const found = await rows.get<Extent>(EXTENT, parameters(0, Number.MAX_SAFE_INTEGER, last));
  const { decisions = 0, firstAt = null, lastAt = null, first = null, upTo = null } = found ?? {};
  const read = decisionReader(rows);
  let after = (first ?? 1) - 1;
  return {
    extent: { decisions, firstAt, lastAt },
    async next() {
      const lot = await rows.all<StoredDecision>(READ, parameters(after, upTo ?? 0, BATCH));
      after = lot.at(-1)?.seq ?? after;
      return read(lot);
    },
    close: () => client.end(),
  };
};
