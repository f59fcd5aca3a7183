import type Database from 'better-sqlite3';
import type { WebhookCallRow } from '../../../api/webhooks.ts';
import type { DecisionRecord, DecisionRow, FeedPage } from '../../../shared/schema/decision.ts';
import type { DecisionFilter, DecisionQueries } from '../decision-queries.ts';
import type { GroupCommit } from './group-commit.ts';
import { createHashIndex, enterAll } from './hash-index.ts';
import { positionsIn, turn } from './positions.ts';
import { readRecord } from '../../../core/decision/stored-record.ts';

interface StoredDecision {
  seq: number;
  settlement: DecisionRecord['settlement'];
  actualCostWei: string | null;
  record: string;
}

/** A row, and the length of the record that SQLite has read for it. */
type ReadRow = DecisionRow & { length: number };

/** A batch of decisions: those after `low` up to `high`, with a maximum number. */
interface Batch {
  low: number;
  high: number;
  limit: number;
}

/** SQLite blocks the process while it reads: a filter without matches must not read a million rows at once. */
const STRETCH = 5_000;
/** Some filters read the records, and anyone with an API key can make those long. */
const TEXT_STRETCH = 500;

/**
 * Limit on the records in one read (characters or bytes), plus one more decision: it blocks the process for some ms.
 */
const LOT_LENGTH = 1024 * 1024;

const DECISION = 'SELECT seq, settlement, actual_cost_wei AS actualCostWei, record FROM decision';

/** Rows cut longer text: an export is an untrusted file. */
const LONGEST_TEXT = 500;

const cutFields = ['dapp', 'sender', 'mode', 'code', 'rule', 'message', 'hint'].map(
  (field) => `substr(record ->> '${field}', 1, ${LONGEST_TEXT}) AS ${field}`,
);

/** The columns of a row. SQLite extracts them from the record, so that no trace is parsed here. */
const ROW = `seq, id, at, paymaster_id AS paymasterId, chain_id AS chainId, outcome, ${cutFields.join(', ')},
  record ->> 'maxCostWei' AS maxCostWei, actual_cost_wei AS actualCostWei, settlement, octet_length(record) AS length`;

type Filters = Omit<DecisionFilter, 'before' | 'limit'>;

const CONDITIONS: Readonly<Record<keyof Filters, string>> = {
  userOpHash: 'seq IN (SELECT seq FROM decision_hash WHERE user_op_hash = @userOpHash)',
  decisionId: 'id = @decisionId',
  wouldDeny: 'seq IN (SELECT decision_seq FROM shadow_result WHERE rule_id = @wouldDeny AND would_deny = 1)',
  text: `instr(lower(concat_ws(' ', sender, id, record ->> 'userOpHash', record ->> 'dapp', record ->> 'message',
    record ->> '$.request.calls')), @text) > 0`,
  accountId: 'paymaster_id IN (SELECT paymaster_id FROM paymaster WHERE account_id = @accountId)',
  paymasterId: 'paymaster_id = @paymasterId',
  sender: 'sender = @sender',
  outcome: 'outcome = @outcome',
  rule: 'rule = @rule',
  from: 'at >= @from',
  to: 'at < @to',
  // Filters on the record come last: SQLite evaluates them only for rows that pass the others.
  nonce: "record ->> 'nonce' = @nonce",
  paymasterAndData: "record ->> 'paymasterAndData' = @paymasterAndData",
};

/** Decisions per read. */
const batchSizeOf = ({ text, nonce, paymasterAndData }: Filters): number =>
  [text, nonce, paymasterAndData].every((filter) => filter === undefined) ? STRETCH : TEXT_STRETCH;

/** The query with only the given filters: `@x IS NULL OR …` would prevent SQLite from using an index. */
const batchSql = (select: string, query: Filters, order: 'ASC' | 'DESC'): string => {
  const names = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];
  const conditions = names.filter((name) => query[name] !== undefined).map((name) => CONDITIONS[name]);
  const where = ['seq > @low AND seq <= @high', ...conditions].join(' AND ');
  return `${select} WHERE ${where} ORDER BY seq ${order} LIMIT @limit`;
};

const toRecord = ({ record, ...row }: StoredDecision): DecisionRecord => ({ ...readRecord(record), ...row });

export const decisionQueries = (
  database: Database.Database,
  commit: GroupCommit,
): Pick<
  DecisionQueries,
  'listDecisions' | 'pageDecisions' | 'pageFeed' | 'findDecision' | 'minedBlock' | 'countDecisions' | 'webhookCalls'
> => {
  const hashes = createHashIndex(database);
  const prepared = new Map<string, Database.Statement<[Filters & Batch]>>();
  const find = database.prepare<[string], StoredDecision>(`${DECISION} WHERE id = ?`);
  const mined = database
    .prepare<[string], number | null>("SELECT settled_block FROM decision WHERE id = ? AND settlement = 'settled'")
    .pluck();
  const count = database.prepare<[number], { n: number; upTo: number | null }>(
    'SELECT count(*) AS n, max(seq) AS upTo FROM decision WHERE seq > ?',
  );
  /** Decisions are never deleted, so only new ones are counted. */
  let counted = { n: 0, upTo: 0 };
  const positions = positionsIn(database);
  const feed = database.prepare<[number, number], ReadRow & { position: number; isNew: number }>(
    `SELECT position, is_new AS isNew, ${ROW} FROM decision_feed JOIN decision USING (seq)
     WHERE position > ? ORDER BY position LIMIT ?`,
  );
  const feedEnd = database.prepare<[], { position: number | null }>(
    'SELECT max(position) AS position FROM decision_feed',
  );
  const calls = database.prepare<[string, number], WebhookCallRow>(
    `SELECT made.id AS decisionId, at, step.key AS "index", step.value ->> '$.call.webhookId' AS webhookId,
       step.value ->> '$.call.method' AS method, substr(step.value ->> '$.call.url', 1, ${LONGEST_TEXT}) AS url,
       step.value ->> 'outcome' AS outcome, step.value ->> 'code' AS code, step.value ->> '$.call.status' AS status,
       step.value ->> 'micros' AS micros
     FROM (SELECT seq, id, at, record FROM decision WHERE paymaster_id = ? ORDER BY seq DESC LIMIT ?) AS made,
       json_each(record, '$.trace') AS step
     WHERE step.value ->> 'call' IS NOT NULL ORDER BY seq DESC, step.key`,
  );

  const reader = <Read>(select: string, query: Filters, order: 'ASC' | 'DESC') => {
    const sql = batchSql(select, query, order);
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return (batch: Batch) => statement.iterate({ ...query, ...batch }) as IterableIterator<Read>;
  };

  return {
    async listDecisions({ before, limit, ...query }) {
      if (query.userOpHash !== undefined) await enterAll(hashes, commit);
      const read = reader<ReadRow>(`SELECT ${ROW} FROM decision`, query, 'DESC');
      const found: DecisionRow[] = [];
      let high = positions.upTo((before ?? Infinity) - 1);
      while (high > 0) {
        const low = high - batchSizeOf(query);
        let [next, total] = [low, 0];
        for (const { length, ...row } of read({ low, high, limit: limit - found.length })) {
          found.push(row);
          total += length;
          if (total < LOT_LENGTH) continue;
          next = row.seq - 1;
          break;
        }
        if (found.length === limit) break;
        high = positions.upTo(next);
        await turn();
      }
      return found;
    },
    async pageDecisions({ after, limit, ...query }) {
      const read = reader<StoredDecision>(DECISION, query, 'ASC');
      const decisions: DecisionRecord[] = [];
      let length = 0;
      const end = positions.upTo(Infinity);
      const start = positions.after(after) - 1;
      for (let low = start; low < end; low = positions.after(low + STRETCH) - 1) {
        if (low > start) await turn();
        for (const row of read({ low, high: Math.min(low + STRETCH, end), limit: limit - decisions.length })) {
          decisions.push(toRecord(row));
          length += row.record.length;
          if (decisions.length === limit || length >= LOT_LENGTH) return { decisions, upTo: row.seq, more: true };
        }
      }
      // A restored backup may be older than what the caller has seen: continue from its end.
      return { decisions, upTo: end, more: false };
    },
    async pageFeed({ after, limit }) {
      const rows: FeedPage['rows'] = [];
      let total = 0;
      let upTo = after;
      for (const { position, isNew, length, ...row } of feed.iterate(after, limit)) {
        rows.push({ ...row, isNew: isNew === 1 });
        total += length;
        upTo = position;
        if (rows.length === limit || total >= LOT_LENGTH) return { rows, upTo, more: true };
      }
      return { rows, upTo: Math.min(upTo, feedEnd.get()?.position ?? 0), more: false };
    },
    async findDecision(decisionId) {
      const row = find.get(decisionId);
      return row && toRecord(row);
    },
    async minedBlock(decisionId) {
      return mined.get(decisionId) ?? undefined;
    },
    async countDecisions() {
      const { n, upTo } = count.get(counted.upTo) ?? { n: 0, upTo: null };
      counted = { n: counted.n + n, upTo: upTo ?? counted.upTo };
      return counted.n;
    },
    async webhookCalls({ paymasterId, decisions }) {
      return calls.all(paymasterId, decisions);
    },
  };
};
