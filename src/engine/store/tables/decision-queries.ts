import { SPONSORED_MESSAGE } from '../../../core/decision/record.ts';
import { isLean } from '../../../core/decision/stored-record.ts';
import type { DecisionRecord, DecisionRow, FeedPage } from '../../../shared/schema/decision.ts';
import { type ParsedDecision, type StoredDecision, readDecision, toRow, webhookCallsOf } from '../decision-rows.ts';
import type { DecisionFilter, DecisionPage, DecisionQuery } from '../decision-queries.ts';
import type { WebhookCallRow } from '../../../api/webhooks.ts';
import type { Access } from '../access.ts';
import { type Value, turn } from '../rows.ts';
import { LOT_LENGTH, STORED_DECISION, decisionReader, lengthLimit } from './decision-reader.ts';
import { positionsIn } from './positions.ts';
import type { SearchIndex, Stretch } from './search-index.ts';

/** Rows per read. */
const BATCH = 500;

type Filters = Omit<DecisionFilter, 'before' | 'limit'>;

/** SQL of each filter, given its value. */
const CONDITIONS: Readonly<Record<keyof Omit<Filters, 'text'>, (value: string) => string>> = {
  userOpHash: (value) => `decision.seq IN (SELECT seq FROM decision_hash WHERE user_op_hash = ${value})`,
  decisionId: (value) => `id = ${value}`,
  wouldDeny: (value) =>
    `decision.seq IN (SELECT decision_seq FROM shadow_result WHERE rule_id = ${value} AND would_deny = 1)`,
  accountId: (value) => `paymaster_id IN (SELECT paymaster_id FROM paymaster WHERE account_id = ${value})`,
  paymasterId: (value) => `paymaster_id = ${value}`,
  sender: (value) => `sender = ${value}`,
  outcome: (value) => `outcome = ${value}`,
  rule: (value) => `rule = ${value}`,
  from: (value) => `at >= ${value}`,
  to: (value) => `at < ${value}`,
  // These conditions only preselect rows, because PostgreSQL cannot search JSON that contains a NUL, which clients may
  // send.
  nonce: (value) => `record LIKE '%' || ${value} || '%'`,
  paymasterAndData: (value) => `record LIKE '%' || ${value} || '%'`,
};

const readsRecords = ({ text, nonce, paymasterAndData }: Filters): boolean =>
  [text, nonce, paymasterAndData].some((filter) => filter !== undefined);

/** Whether few decisions can match, which an index names. */
const isByKey = ({ userOpHash, decisionId }: Filters): boolean => userOpHash !== undefined || decisionId !== undefined;

/** What the search index must find. */
const searchedFor = ({ text, sender }: Filters): string[] => [text, sender].filter((one) => one !== undefined);

/** The filters on the record, except the text filter. */
const matching =
  ({ nonce, paymasterAndData }: Filters) =>
  (decision: DecisionRecord): boolean =>
    (nonce === undefined || decision.nonce === nonce) &&
    (paymasterAndData === undefined || decision.paymasterAndData === paymasterAndData);

interface Batch {
  readonly sql: string;
  /** The same statement, limited to the positions in one more value. */
  readonly ofSome: string;
  readonly values: readonly Value[];
}

/**
 * The statement for a batch. Conditions such as `$1 IS NULL OR …` for each possible filter would prevent the use of
 * indexes.
 */
const batchOf = (query: Filters, order: 'ASC' | 'DESC'): Batch => {
  const names = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter((name) => query[name] !== undefined);
  const conditions = names.map((name, index) => CONDITIONS[name](`$${index + 4}`));
  const where = ['decision.seq > $1 AND decision.seq <= $2', ...conditions].join(' AND ');
  const only = ` AND decision.seq = ANY($${names.length + 4}::bigint[])`;
  const select = (which: string): string =>
    `SELECT ${STORED_DECISION} FROM decision WHERE ${which} ORDER BY decision.seq ${order} LIMIT $3`;
  return { sql: select(where), ofSome: select(where + only), values: names.map((name) => query[name] ?? null) };
};

interface FeedRow extends StoredDecision {
  readonly position: number;
  /** Position of the decision whose settlement changed; null for a new decision. */
  readonly settles: number | null;
}

// PostgreSQL merges the two in order only if the union is a table expression.
const FEED = `SELECT position, settles, ${STORED_DECISION} FROM (
    SELECT * FROM (
      SELECT seq AS position, CAST(NULL AS bigint) AS settles FROM decision
      UNION ALL SELECT position, settles FROM log_entry WHERE settles IS NOT NULL) AS changes
    WHERE position > $1 ORDER BY position LIMIT $2) AS feed
  JOIN decision ON seq = coalesce(settles, position) ORDER BY position`;

const FEED_END = `SELECT max(last) AS position FROM (
    SELECT max(seq) AS last FROM decision UNION ALL SELECT max(position) FROM log_entry) AS ends`;

/** Whether the texts of a decision are derived with its policy. */
const needsPolicy = ({ record }: ParsedDecision): boolean => isLean(record) && record.code !== 'SPONSORED';

export interface Page {
  readonly after: number;
  readonly limit: number;
}

export interface CallsQuery {
  readonly paymasterId: string;
  readonly decisions: number;
}

/** Reads lists and pages of decisions, and single decisions. */
export const decisionQueries = ({ rows, enterHashes }: Access, { searchFor }: Pick<SearchIndex, 'searchFor'>) => {
  const { complete, read, readWith } = decisionReader(rows);
  const readMatching = async ({ text, ...query }: Filters, stored: readonly StoredDecision[]): Promise<DecisionRow[]> =>
    (await (text === undefined ? read(stored) : readWith(text, stored))).filter(matching(query)).map(toRow);
  const positions = positionsIn(rows);
  const rowsOf = async (stored: readonly StoredDecision[]): Promise<DecisionRow[]> => {
    const parsed = stored.map(readDecision);
    const completed = await complete(parsed.filter(needsPolicy));
    const explained = new Map(completed.map((decision) => [decision.seq, decision]));
    return parsed.map(({ columns, record }) =>
      toRow(explained.get(columns.seq) ?? { message: SPONSORED_MESSAGE, hint: '', ...record, ...columns }),
    );
  };
  /**
   * Number of positions per statement. It is limited because a filter may match nothing. Filters on records need a
   * smaller number, because records may be long: clients determine their length.
   */
  const batchSizeOf = (query: Filters): number => {
    if (isByKey(query)) return Number.MAX_SAFE_INTEGER;
    if (readsRecords(query)) return 500;
    return rows.isBlocking ? 5_000 : 20_000;
  };

  return {
    /** Newest first, up to the limit. */
    async listDecisions({ before, limit, ...query }: DecisionFilter): Promise<DecisionRow[]> {
      if (query.userOpHash !== undefined) await enterHashes();
      const { sql, ofSome, values } = batchOf(query, 'DESC');
      const size = batchSizeOf(query);
      const search = isByKey(query) ? undefined : searchFor(searchedFor(query), size);
      const below = async (high: number): Promise<Stretch> =>
        (await search?.below(high)) ?? { low: high - size, seqs: undefined };
      const found: DecisionRow[] = [];
      let high = await positions.upTo(before === undefined ? Number.MAX_SAFE_INTEGER : before - 1);
      while (high > 0) {
        const { low, seqs } = await below(high);
        // Most of those that the index names are found.
        const isFiltered = readsRecords(query) && seqs === undefined;
        const most = isFiltered ? BATCH : Math.min(BATCH, limit - found.length);
        const length = lengthLimit(LOT_LENGTH);
        const named = seqs === undefined ? [] : [seqs];
        const parameters = [low, high, most, ...values, ...named];
        const some = await rows.upTo<StoredDecision>(seqs === undefined ? sql : ofSome, parameters, length.add);
        found.push(...(await (readsRecords(query) ? readMatching(query, some) : rowsOf(some))));
        if (found.length >= limit) return found.slice(0, limit);
        const last = some.at(-1);
        if (last === undefined) high = await positions.upTo(low);
        else high = length.isReached() || some.length === most ? last.seq - 1 : low;
        await turn();
      }
      return found;
    },
    /** Oldest first, only a `seq` greater than `after`. */
    async pageDecisions({ after, limit, ...query }: DecisionQuery & Page): Promise<DecisionPage> {
      const { sql, values } = batchOf(query, 'ASC');
      const size = batchSizeOf(query);
      const decisions: DecisionRecord[] = [];
      const length = lengthLimit(LOT_LENGTH);
      const end = await positions.upTo(Number.MAX_SAFE_INTEGER);
      let low = after;
      while (low < end) {
        const high = Math.min(low + size, end);
        const most = Math.min(BATCH, limit - decisions.length);
        const some = await rows.upTo<StoredDecision>(sql, [low, high, most, ...values], length.add);
        decisions.push(...(await read(some)));
        const last = some.at(-1);
        if (last === undefined) low = (await positions.after(high)) - 1;
        else if (length.isReached() || decisions.length === limit) return { decisions, upTo: last.seq, more: true };
        else low = some.length === most ? last.seq : high;
        await turn();
      }
      // A restored backup may be older than what the caller has seen. The feed then continues from the backup's end.
      return { decisions, upTo: end, more: false };
    },
    /**
     * Decisions made or changed by settlement after a position of the feed, in commit order, each in its current state.
     * May be fewer than the limit, if decisions are large.
     */
    async pageFeed({ after, limit }: Page): Promise<FeedPage> {
      const found: FeedPage['rows'] = [];
      const length = lengthLimit(LOT_LENGTH);
      let upTo = after;
      for (;;) {
        const most = Math.min(BATCH, limit - found.length);
        const some = await rows.upTo<FeedRow>(FEED, [upTo, most], length.add);
        for (const [index, row] of (await rowsOf(some)).entries())
          found.push({ ...row, isNew: some[index]?.settles === null });
        upTo = some.at(-1)?.position ?? upTo;
        if (length.isReached() || found.length === limit) return { rows: found, upTo, more: true };
        if (some.length === most) {
          await turn();
          continue;
        }
        if (found.length > 0) return { rows: found, upTo, more: false };
        // A restored backup may be older than what the caller has seen, as above.
        const end = await rows.get<{ position: number | null }>(FEED_END);
        return { rows: found, upTo: Math.min(upTo, end?.position ?? 0), more: false };
      }
    },
    async findDecision(decisionId: string): Promise<DecisionRecord | undefined> {
      return (await read(await rows.all(`SELECT ${STORED_DECISION} FROM decision WHERE id = $1`, [decisionId])))[0];
    },
    async minedBlock(decisionId: string): Promise<number | undefined> {
      const row = await rows.get<{ block: number | null }>(
        `SELECT settled_block AS block FROM decision WHERE id = $1 AND settlement = 'settled'`,
        [decisionId],
      );
      return row?.block ?? undefined;
    },
    /** The webhook calls of a DApp's newest decisions, newest decision first. `decisions` is the number of decisions. */
    async webhookCalls({ paymasterId, decisions }: CallsQuery): Promise<WebhookCallRow[]> {
      const made = await rows.all<StoredDecision>(
        `SELECT ${STORED_DECISION} FROM decision WHERE paymaster_id = $1 ORDER BY seq DESC LIMIT $2`,
        [paymasterId, decisions],
      );
      return (await read(made)).flatMap(webhookCallsOf);
    },
  };
};
