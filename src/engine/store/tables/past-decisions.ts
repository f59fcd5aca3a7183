import { type StoredDecision, readDecision } from '../decision-rows.ts';
import type { PastDecisions, PastExtent, PastQuery } from '../past-decisions.ts';
import type { Reads, Value } from '../rows.ts';
import { STORED_DECISION, decisionReader, lengthLimit } from './decision-reader.ts';

/** Maximum length of the records in one read, plus one more decision. Processing them takes some ms. */
const LOT_LENGTH = 256 * 1024;

/** Decisions per read. */
const BATCH = 100;

/** Number of decisions per step, when searching for the first decision after a time. */
const STEP = 5_000;

const BOUNDS = `SELECT min(seq) AS first, max(at) AS newest
  FROM (SELECT seq, at FROM decision WHERE paymaster_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT ${STEP}) AS step`;

/** The position after which all decisions from a time on are found: all decisions in the step before it are older. */
const positionBefore = async (rows: Reads, paymasterId: string, from: number): Promise<number> => {
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const found = await rows.get<{ first: number | null; newest: number }>(BOUNDS, [paymasterId, before]);
    const { first = null, newest = 0 } = found ?? {};
    if (first === null) return 0;
    if (newest < from) return before - 1;
    before = first;
  }
};

const WHERE = `paymaster_id = $1 AND seq > $2 AND seq <= $3 AND outcome <> 'error' AND at >= $4 AND at < $5`;

const EXTENT = `SELECT count(*) AS decisions, min(seq) AS first, max(seq) AS up_to, min(at) AS first_at, max(at) AS last_at
  FROM (SELECT seq, at FROM decision WHERE ${WHERE} ORDER BY seq DESC LIMIT $6) AS newest`;

const READ = `SELECT ${STORED_DECISION} FROM decision WHERE ${WHERE} ORDER BY seq LIMIT $6`;

interface Extent extends PastExtent {
  readonly first: number | null;
  readonly upTo: number | null;
}

/**
 * Reads past decisions while an engine continues to write. No transaction lasts longer than a call, so SQLite's WAL can
 * be checkpointed meanwhile.
 *
 * @param rows of a separate connection
 */
export const pastDecisions = async (
  rows: Reads,
  { paymasterId, from = 0, to = Number.MAX_SAFE_INTEGER, last = Number.MAX_SAFE_INTEGER }: PastQuery,
): Promise<Omit<PastDecisions, 'close'>> => {
  const parameters = (after: number, upTo: number, most: number): Value[] => [paymasterId, after, upTo, from, to, most];
  const start = from > 0 ? await positionBefore(rows, paymasterId, from) : 0;
  const found = await rows.get<Extent>(EXTENT, parameters(start, Number.MAX_SAFE_INTEGER, last));
  const { decisions = 0, firstAt = null, lastAt = null, first = null, upTo = null } = found ?? {};
  const { complete } = decisionReader(rows);
  let after = (first ?? 1) - 1;
  return {
    extent: { decisions, firstAt, lastAt },
    async next() {
      const some = await rows.upTo<StoredDecision>(
        READ,
        parameters(after, upTo ?? 0, BATCH),
        lengthLimit(LOT_LENGTH).add,
      );
      after = some.at(-1)?.seq ?? after;
      return complete(some.map(readDecision));
    },
  };
};
