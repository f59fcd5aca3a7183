import type { DecisionRecord, DecisionRow, FeedPage } from '../../../shared/schema/decision.ts';
import type { DecisionFilter, DecisionQueries } from '../decision-queries.ts';
import { type StoredDecision, hasText, toRow, webhookCallsOf } from '../decision-rows.ts';
import { decisionReader } from './policy-revisions.ts';
import type { Rows, Value } from './rows.ts';

/** The columns of {@link StoredDecision}. */
export const STORED_DECISION = 'decision.seq, settlement, actual_cost_wei AS "actualCostWei", record';

/** Decisions per statement: a filter without matches must not read ten million rows in one statement. */
const STRETCH = 20_000;
/** Some filters need the whole records. */
const TEXT_STRETCH = 500;
/** Rows per read. */
const BATCH = 500;

/** Positions per statement. Filters that select few decisions use their index instead. */
const batchSizeOf = ({ userOpHash, decisionId, text, nonce, paymasterAndData }: Filters): number => {
  if (userOpHash !== undefined || decisionId !== undefined) return Number.MAX_SAFE_INTEGER;
  return [text, nonce, paymasterAndData].every((filter) => filter === undefined) ? STRETCH : TEXT_STRETCH;
};

/** Limit on the records in one answer (characters), plus one more decision. */
const LOT_LENGTH = 1024 * 1024;

type Filters = Omit<DecisionFilter, 'before' | 'limit'>;
type InColumns = Omit<Filters, 'text' | 'nonce' | 'paymasterAndData'>;

/** SQL of each column filter, given its value. */
const CONDITIONS: Readonly<Record<keyof InColumns, (value: string) => string>> = {
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
};

/** Filters on the record: PostgreSQL cannot search JSON that contains a NUL, which clients may send. */
const matches = (decision: DecisionRecord, { text, nonce, paymasterAndData }: Filters): boolean => {
  if (nonce !== undefined && decision.nonce !== nonce) return false;
  if (paymasterAndData !== undefined && decision.paymasterAndData !== paymasterAndData) return false;
  return text === undefined || hasText(decision, text);
};

/** Query for a batch with only the given filters. */
const batchSql = (query: Filters, order: 'ASC' | 'DESC'): { sql: string; values: Value[] } => {
  const names = (Object.keys(CONDITIONS) as (keyof InColumns)[]).filter((name) => query[name] !== undefined);
  const conditions = names.map((name, index) => CONDITIONS[name](`$${index + 4}`));
  const where = ['decision.seq > $1 AND decision.seq < $2', ...conditions].join(' AND ');
  return {
    sql: `SELECT ${STORED_DECISION} FROM decision WHERE ${where} ORDER BY decision.seq ${order} LIMIT $3`,
    values: names.map((name) => query[name] ?? null),
  };
};

const FEED = `SELECT position, "isNew", ${STORED_DECISION} FROM (
    (SELECT seq AS position, seq AS changed, 1 AS "isNew" FROM decision WHERE seq > $1 AND seq <= $3
      ORDER BY seq LIMIT $2)
    UNION ALL (SELECT position, settles, 0 FROM log_entry
      WHERE position > $1 AND position <= $3 AND settles IS NOT NULL ORDER BY position LIMIT $2)
    ORDER BY position LIMIT $2) AS feed JOIN decision ON seq = changed ORDER BY position`;

type Queries = Pick<
  DecisionQueries,
  'listDecisions' | 'pageDecisions' | 'pageFeed' | 'findDecision' | 'minedBlock' | 'countDecisions' | 'webhookCalls'
>;

export const decisionQueries = (rows: Rows): Queries => {
  const explained = decisionReader(rows);
  const read = async (stored: readonly StoredDecision[]): Promise<DecisionRecord[]> =>
    (await explained(stored)).map(({ record }) => record);
  const newest = async (): Promise<number> =>
    (await rows.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM decision'))?.seq ?? 0;
  const head = async (): Promise<{ decisions: number; logSize: number }> =>
    (await rows.get<{ decisions: number; logSize: number }>(
      'SELECT decisions, log_size AS "logSize" FROM desk_head',
    )) ?? { decisions: 0, logSize: 0 };

  return {
    async listDecisions({ before = Number.MAX_SAFE_INTEGER, limit, ...query }) {
      const { sql, values } = batchSql(query, 'DESC');
      const batchSize = batchSizeOf(query);
      const found: DecisionRow[] = [];
      let high = Math.min(before, (await newest()) + 1);
      while (high > 1) {
        const low = Math.max(0, high - 1 - batchSize);
        const some = await rows.all<StoredDecision>(sql, [low, high, BATCH, ...values]);
        for (const decision of await read(some)) {
          if (matches(decision, query)) found.push(toRow(decision));
          if (found.length === limit) return found;
        }
        const last = some.at(-1);
        high = last !== undefined && some.length === BATCH ? last.seq : low + 1;
      }
      return found;
    },
    async pageDecisions({ after, limit, ...query }) {
      const end = await newest();
      const { sql, values } = batchSql(query, 'ASC');
      const batchSize = batchSizeOf(query);
      const decisions: DecisionRecord[] = [];
      let length = 0;
      let low = after;
      while (low < end) {
        const high = Math.min(low + batchSize, end);
        const most = Math.min(BATCH, limit - decisions.length);
        const some = await rows.all<StoredDecision>(sql, [low, high + 1, most, ...values]);
        for (const [index, decision] of (await read(some)).entries()) {
          decisions.push(decision);
          length += some[index]?.record.length ?? 0;
          if (decisions.length === limit || length >= LOT_LENGTH) return { decisions, upTo: decision.seq, more: true };
        }
        const last = some.at(-1);
        low = last !== undefined && some.length === most ? last.seq : high;
      }
      // A restored backup may be older than what the caller has seen: continue from its end.
      return { decisions, upTo: end, more: false };
    },
    async pageFeed({ after, limit }) {
      const feedEnd = Math.max(0, (await head()).logSize - 1);
      const found: FeedPage['rows'] = [];
      let total = 0;
      let upTo = after;
      for (;;) {
        const most = Math.min(BATCH, limit - found.length);
        const some = await rows.all<StoredDecision & { position: number; isNew: number }>(FEED, [upTo, most, feedEnd]);
        const decisions = await read(some);
        for (const [index, { position, isNew, record }] of some.entries()) {
          const decision = decisions[index];
          if (decision !== undefined) found.push({ ...toRow(decision), isNew: isNew === 1 });
          total += record.length;
          upTo = position;
          if (found.length === limit || total >= LOT_LENGTH) return { rows: found, upTo, more: true };
        }
        if (some.length < most) return { rows: found, upTo: Math.min(upTo, feedEnd), more: false };
      }
    },
    async findDecision(decisionId) {
      const row = await rows.get<StoredDecision>(`SELECT ${STORED_DECISION} FROM decision WHERE id = $1`, [decisionId]);
      return row && (await read([row]))[0];
    },
    async minedBlock(decisionId) {
      const row = await rows.get<{ block: number | null }>(
        `SELECT settled_block AS block FROM decision WHERE id = $1 AND settlement = 'settled'`,
        [decisionId],
      );
      return row?.block ?? undefined;
    },
    countDecisions: async () => (await head()).decisions,
    async webhookCalls({ paymasterId, decisions }) {
      const made = await rows.all<StoredDecision>(
        `SELECT ${STORED_DECISION} FROM decision WHERE paymaster_id = $1 ORDER BY seq DESC LIMIT $2`,
        [paymasterId, decisions],
      );
      return (await read(made)).flatMap(webhookCallsOf);
    },
  };
};
