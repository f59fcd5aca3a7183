import type Database from 'better-sqlite3';
import type { DecisionRecord, DecisionRow, FeedPage } from '../../../shared/schema/decision.ts';
import type { DecisionFilter, DecisionQueries } from '../decision-queries.ts';
import type { GroupCommit } from './group-commit.ts';
import { createHashIndex, enterAll } from './hash-index.ts';
import { positionsIn, turn } from './positions.ts';
import { SPONSORED_MESSAGE } from '../../../core/decision/record.ts';
import {
  LONGEST_TEXT,
  type StoredDecision,
  decisionWith,
  readDecision,
  toDecision,
  toRow,
  webhookCallsOf,
} from '../decision-rows.ts';
import { policyRevisions } from './policy-revisions.ts';

/** A row as SQLite reads it. */
interface ReadRow extends Omit<DecisionRow, 'message' | 'hint'> {
  /** Null if the core creates the texts from the record. */
  readonly message: string | null;
  readonly hint: string | null;
  /** The record, if the texts are created from it. */
  readonly record: string | null;
  /** Length of the record. */
  readonly length: number;
}

/** A batch of decisions: those after `low` up to `high`, with a maximum number. */
interface Batch {
  low: number;
  high: number;
  limit: number;
}

/** The decisions of a batch, newest first. `row` is undefined if a filter does not match. */
type RowsOf = (batch: Batch) => Iterable<{ seq: number; length: number; row: DecisionRow | undefined }>;

/** SQLite blocks the process while it reads: a filter without matches must not read a million rows at once. */
const STRETCH = 5_000;
/** Some filters read the records, and anyone with an API key can make those long. */
const TEXT_STRETCH = 500;

/**
 * A read ends once its records have this many characters or bytes, so it may exceed the limit by one decision. Reading
 * that much blocks the process for a few ms.
 */
const LOT_LENGTH = 1024 * 1024;

const DECISION = 'SELECT seq, settlement, actual_cost_wei AS actualCostWei, record FROM decision';

const cutFields = ['dapp', 'sender', 'mode', 'code', 'rule', 'message', 'hint'].map(
  (field) => `substr(record ->> '${field}', 1, ${LONGEST_TEXT}) AS ${field}`,
);

/** The columns of a row. SQLite extracts them from the record, so that few records are parsed here. */
const ROW = `seq, id, at, paymaster_id AS paymasterId, chain_id AS chainId, outcome, ${cutFields.join(', ')},
  record ->> 'maxCostWei' AS maxCostWei, actual_cost_wei AS actualCostWei, settlement, octet_length(record) AS length,
  CASE WHEN record ->> 'message' IS NULL AND record ->> 'code' <> 'SPONSORED' THEN record END AS record`;

type Filters = Omit<DecisionFilter, 'before' | 'limit' | 'text'>;

const CONDITIONS: Readonly<Record<keyof Filters, string>> = {
  userOpHash: 'seq IN (SELECT seq FROM decision_hash WHERE user_op_hash = @userOpHash)',
  decisionId: 'id = @decisionId',
  wouldDeny: 'seq IN (SELECT decision_seq FROM shadow_result WHERE rule_id = @wouldDeny AND would_deny = 1)',
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
const batchSizeOf = ({ text, nonce, paymasterAndData }: Filters & Pick<DecisionFilter, 'text'>): number =>
  [text, nonce, paymasterAndData].every((filter) => filter === undefined) ? STRETCH : TEXT_STRETCH;

/** The query with only the given filters: `@x IS NULL OR …` would prevent SQLite from using an index. */
const batchSql = (select: string, query: Filters, order: 'ASC' | 'DESC'): string => {
  const names = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];
  const conditions = names.filter((name) => query[name] !== undefined).map((name) => CONDITIONS[name]);
  const where = ['seq > @low AND seq <= @high', ...conditions].join(' AND ');
  return `${select} WHERE ${where} ORDER BY seq ${order} LIMIT @limit`;
};

export const decisionQueries = (
  database: Database.Database,
  commit: GroupCommit,
): Pick<
  DecisionQueries,
  'listDecisions' | 'pageDecisions' | 'pageFeed' | 'findDecision' | 'minedBlock' | 'countDecisions' | 'webhookCalls'
> => {
  const hashes = createHashIndex(database);
  const revisions = policyRevisions(database);
  const toRecord = (row: StoredDecision): DecisionRecord =>
    toDecision(readDecision(row), (hash) => revisions.read(hash));
  const rowOf = ({ length: _, record, message, hint, ...row }: ReadRow): DecisionRow => {
    const { seq, settlement, actualCostWei } = row;
    if (record !== null) return toRow(toRecord({ seq, settlement, actualCostWei, record }));
    return { ...row, message: message ?? SPONSORED_MESSAGE, hint: hint ?? '' };
  };
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
  const feed = database.prepare<[{ after: number; limit: number }], ReadRow & { position: number; isNew: number }>(
    `SELECT position, isNew, ${ROW} FROM (
       SELECT seq AS position, seq AS changed, 1 AS isNew FROM decision WHERE seq > @after
       UNION ALL SELECT position, settles, 0 FROM log_entry WHERE position > @after AND settles IS NOT NULL
       ORDER BY position LIMIT @limit) AS feed JOIN decision ON seq = changed ORDER BY position`,
  );
  const feedEnd = database
    .prepare<[], number>(
      'SELECT max(coalesce((SELECT max(seq) FROM decision), 0), coalesce((SELECT max(position) FROM log_entry), 0))',
    )
    .pluck();
  const ofDapp = database.prepare<[string, number], StoredDecision>(
    `${DECISION} WHERE paymaster_id = ? ORDER BY seq DESC LIMIT ?`,
  );

  const reader = <Read>(select: string, query: Filters, order: 'ASC' | 'DESC') => {
    const sql = batchSql(select, query, order);
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return (batch: Batch) => statement.iterate({ ...query, ...batch }) as IterableIterator<Read>;
  };

  const rowsIn = (query: Filters): RowsOf => {
    const read = reader<ReadRow>(`SELECT ${ROW} FROM decision`, query, 'DESC');
    return function* (batch) {
      for (const row of read(batch)) yield { seq: row.seq, length: row.length, row: rowOf(row) };
    };
  };
  const rowsWith = (text: string, query: Filters): RowsOf => {
    const read = reader<StoredDecision>(DECISION, query, 'DESC');
    return function* (batch) {
      for (const stored of read({ ...batch, limit: batch.high - batch.low })) {
        const decision = decisionWith(text, stored, (hash) => revisions.read(hash));
        yield { seq: stored.seq, length: stored.record.length, row: decision && toRow(decision) };
      }
    };
  };

  return {
    async listDecisions({ before, limit, text, ...query }) {
      if (query.userOpHash !== undefined) await enterAll(hashes, commit);
      const read = text === undefined ? rowsIn(query) : rowsWith(text, query);
      const found: DecisionRow[] = [];
      let high = positions.upTo((before ?? Infinity) - 1);
      while (high > 0) {
        const low = high - batchSizeOf({ text, ...query });
        let [next, total] = [low, 0];
        for (const { seq, length, row } of read({ low, high, limit: limit - found.length })) {
          if (row !== undefined) found.push(row);
          total += length;
          if (total < LOT_LENGTH && found.length < limit) continue;
          next = seq - 1;
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
      for (const { position, isNew, ...row } of feed.iterate({ after, limit })) {
        rows.push({ ...rowOf(row), isNew: isNew === 1 });
        total += row.length;
        upTo = position;
        if (rows.length === limit || total >= LOT_LENGTH) return { rows, upTo, more: true };
      }
      return { rows, upTo: Math.min(upTo, feedEnd.get() ?? 0), more: false };
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
      return ofDapp.all(paymasterId, decisions).flatMap((row) => webhookCallsOf(toRecord(row)));
    },
  };
};
