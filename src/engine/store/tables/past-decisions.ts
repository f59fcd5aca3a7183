import type { PastDecision } from '../../../core/decision/past-decision.ts';
import type { StoredDecision } from '../decision-rows.ts';
import type { PastDecisions, PastExtent, PastQuery, SampledDecisions } from '../past-decisions.ts';
import { type Reads, type Value, turn } from '../rows.ts';
import { STORED_DECISION, decisionReader, lengthLimit } from './decision-reader.ts';

/** Maximum length of the records in one read, plus one more decision. Processing them takes some ms. */
const LOT_LENGTH = 256 * 1024;

/** Decisions per read. */
const BATCH = 100;

/** Number of decisions per step, when searching for the first decision after a time. */
const STEP = 5_000;

const NEWEST = `SELECT max(seq) AS newest FROM decision WHERE paymaster_id = $1`;

/** 0 if there are no decisions. */
const newestPosition = async (rows: Reads, paymasterId: string): Promise<number> =>
  (await rows.get<{ newest: number | null }>(NEWEST, [paymasterId]))?.newest ?? 0;

const BOUNDS = `SELECT min(seq) AS first, max(at) AS newest
  FROM (SELECT seq, at FROM decision WHERE paymaster_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT ${STEP}) AS step`;

/** The position after which all decisions from a time on are found: all decisions in the step before it are older. */
const positionBefore = async (rows: Reads, paymasterId: string, from: number): Promise<number> => {
  if (from <= 0) return 0;
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const found = await rows.get<{ first: number | null; newest: number }>(BOUNDS, [paymasterId, before]);
    const { first = null, newest = 0 } = found ?? {};
    if (first === null) return 0;
    if (newest < from) return before - 1;
    before = first;
    await turn();
  }
};

const FROM = `SELECT at FROM decision WHERE paymaster_id = $1 AND seq > $2 ORDER BY seq LIMIT 1`;

/**
 * The position after which decisions from a time on begin, if the clock was never set back. It is found with some dozens
 * of reads, however many decisions there are.
 */
const firstPosition = async (rows: Reads, { paymasterId, from = 0 }: PastQuery, upTo: number): Promise<number> => {
  let [older, newer] = [0, upTo];
  while (from > 0 && newer - older > 1) {
    const middle = Math.floor((older + newer) / 2);
    const found = await rows.get<{ at: number }>(FROM, [paymasterId, middle]);
    if (found !== undefined && found.at < from) older = middle;
    else newer = middle;
  }
  return older;
};

const WHERE = `paymaster_id = $1 AND seq > $2 AND seq <= $3 AND outcome <> 'error' AND at >= $4 AND at < $5`;

const EXTENT = `SELECT count(*) AS decisions, min(seq) AS first, max(seq) AS up_to, min(at) AS first_at, max(at) AS last_at
  FROM (SELECT seq, at FROM decision WHERE ${WHERE} ORDER BY seq DESC LIMIT $6) AS newest`;

const READ = `SELECT ${STORED_DECISION} FROM decision WHERE ${WHERE} ORDER BY seq LIMIT $6`;

interface Extent extends PastExtent {
  readonly first: number | null;
  readonly upTo: number | null;
}

interface Range {
  readonly query: PastQuery;
  /** Positions: decisions come after the first, and up to the second. */
  readonly after: number;
  readonly upTo: number;
}

const parametersOf = ({ query, after, upTo }: Range, most: number): Value[] => {
  const { paymasterId, from = 0, to = Number.MAX_SAFE_INTEGER } = query;
  return [paymasterId, after, upTo, from, to, most];
};

/** Reads the decisions of a range, some dozens at a time. */
const readerOf = (rows: Reads, range: Range): PastDecisions['next'] => {
  const { past } = decisionReader(rows);
  let { after } = range;
  return async () => {
    const parameters = parametersOf({ ...range, after }, BATCH);
    const some = await rows.upTo<StoredDecision>(READ, parameters, lengthLimit(LOT_LENGTH).add);
    after = some.at(-1)?.seq ?? after;
    return past(some);
  };
};

/**
 * Reads past decisions while an engine continues to write. No transaction lasts longer than a call, so SQLite's WAL can
 * be checkpointed meanwhile.
 *
 * @param rows of a separate connection
 */
export const pastDecisions = async (rows: Reads, query: PastQuery): Promise<Omit<PastDecisions, 'close'>> => {
  const { paymasterId, from = 0, last = Number.MAX_SAFE_INTEGER } = query;
  const all = { query, after: await positionBefore(rows, paymasterId, from), upTo: Number.MAX_SAFE_INTEGER };
  const found = await rows.get<Extent>(EXTENT, parametersOf(all, last));
  const { decisions = 0, firstAt = null, lastAt = null, first = null, upTo = null } = found ?? {};
  const range = { query, after: (first ?? 1) - 1, upTo: upTo ?? 0 };
  return { extent: { decisions, firstAt, lastAt }, next: readerOf(rows, range) };
};

/** Counts by an index alone. Reading the time or the outcome of each decision would take longer than reading a sample. */
const COUNT = `SELECT count(*) AS decisions FROM decision WHERE paymaster_id = $1 AND seq > $2 AND seq <= $3`;

const ONE = `SELECT ${STORED_DECISION} FROM decision WHERE ${WHERE} ORDER BY seq DESC LIMIT $6`;

const sampleOf = async function* (rows: Reads, range: Range, size: number): AsyncGenerator<PastDecision> {
  const { past } = decisionReader(rows);
  let last = range.after;
  for (let index = 1; index <= size; index += 1) {
    const upTo = range.after + Math.round(((range.upTo - range.after) * index) / size);
    const one = await rows.get<StoredDecision>(ONE, parametersOf({ ...range, after: last, upTo }, 1));
    if (one === undefined) continue;
    last = one.seq;
    yield* await past([one]);
  }
};

/** Reads past decisions like {@link pastDecisions}, without counting them first, and a sample of them. */
export const sampledDecisions = async (
  rows: Reads,
  query: Omit<PastQuery, 'last'>,
  size: number,
): Promise<Omit<SampledDecisions, 'close'>> => {
  const { paymasterId, from = 0 } = query;
  const upTo = await newestPosition(rows, paymasterId);
  const after = await firstPosition(rows, query, upTo);
  const { decisions = 0 } = (await rows.get<{ decisions: number }>(COUNT, [paymasterId, after, upTo])) ?? {};
  let read: PastDecisions['next'] | undefined;
  return {
    decisions,
    sample: sampleOf(rows, { query, after, upTo }, size),
    async next() {
      read ??= readerOf(rows, { query, after: await positionBefore(rows, paymasterId, from), upTo });
      return read();
    },
  };
};
