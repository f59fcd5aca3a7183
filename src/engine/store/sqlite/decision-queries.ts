import type Database from 'better-sqlite3';
import { parseExactJson } from '../../../shared/schema/decimal.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { DecisionDraft, DecisionFilter, Store } from '../store.ts';

type DecisionQueries = Pick<Store, 'listDecisions' | 'pageDecisions' | 'findDecision' | 'countDecisions'>;

interface DecisionRow {
  seq: number;
  settlement: DecisionRecord['settlement'];
  actualCostWei: string | null;
  record: string;
}

/** What stands in columns of its own, because it changes after the decision or is looked up by. */
type StoredRecord = Omit<DecisionDraft, 'settlement' | 'actualCostWei'>;

/** A stretch of decisions: those after `low` up to `high`, and at most so many of them. */
interface Stretch {
  low: number;
  high: number;
  limit: number;
}

/** SQLite answers before anything else runs: a filter that nothing matches must not read a million rows at once. */
const STRETCH = 5_000;

/** A page ends with the decision that makes it this long (characters): to read one keeps the process for some ms. */
const PAGE_LENGTH = 1024 * 1024;

const DECISION = 'SELECT seq, settlement, actual_cost_wei AS actualCostWei, record FROM decision';

type Filters = Omit<DecisionFilter, 'before' | 'limit'>;

/** How each filter is said in SQL. */
const CONDITIONS: Readonly<Record<keyof Filters, string>> = {
  userOpHash: 'seq IN (SELECT seq FROM decision_hash WHERE user_op_hash = @userOpHash)',
  decisionId: 'id = @decisionId',
  accountId: 'paymaster_id IN (SELECT paymaster_id FROM paymaster WHERE account_id = @accountId)',
  paymasterId: 'paymaster_id = @paymasterId',
  sender: 'sender = @sender',
  outcome: 'outcome = @outcome',
  rule: 'rule = @rule',
  from: 'at >= @from',
  to: 'at < @to',
};

/** Text of the query with these filters and no others: `@x IS NULL OR …` would keep SQLite from using an index. */
const stretchSql = (query: Filters, order: 'ASC' | 'DESC'): string => {
  const names = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];
  const conditions = names.filter((name) => query[name] !== undefined).map((name) => CONDITIONS[name]);
  const where = ['seq > @low AND seq <= @high', ...conditions].join(' AND ');
  return `${DECISION} WHERE ${where} ORDER BY seq ${order} LIMIT @limit`;
};

const toRecord = ({ record, ...row }: DecisionRow): DecisionRecord => ({
  ...(parseExactJson(record) as StoredRecord),
  ...row,
});

/** Lets everything else that waits have its turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Reading decisions from SQLite. `enterHashes` brings the index of hashes up to date. */
export const decisionQueries = (database: Database.Database, enterHashes: () => Promise<void>): DecisionQueries => {
  const prepare = (sql: string) => database.prepare<[Filters & Stretch], DecisionRow>(sql);
  const prepared = new Map<string, ReturnType<typeof prepare>>();
  const find = database.prepare<[string], DecisionRow>(`${DECISION} WHERE id = ?`);
  const count = database.prepare<[number], { n: number; upTo: number | null }>(
    'SELECT count(*) AS n, max(seq) AS upTo FROM decision WHERE seq > ?',
  );
  /** Decisions are never deleted: only those are counted that came since. */
  let counted = { n: 0, upTo: 0 };
  const newest = database.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM decision');
  const newestSeq = (): number => newest.get()?.seq ?? 0;

  const reader = (query: Filters, order: 'ASC' | 'DESC') => {
    const sql = stretchSql(query, order);
    const statement = prepared.get(sql) ?? prepare(sql);
    prepared.set(sql, statement);
    return (stretch: Stretch): IterableIterator<DecisionRow> => statement.iterate({ ...query, ...stretch });
  };

  return {
    async listDecisions({ before, limit, ...query }) {
      if (query.userOpHash !== undefined) await enterHashes();
      const read = reader(query, 'DESC');
      const found: DecisionRecord[] = [];
      const start = Math.min(newestSeq(), (before ?? Infinity) - 1);
      for (let high = start; high > 0 && found.length < limit; high -= STRETCH) {
        if (high < start) await turn();
        for (const row of read({ low: high - STRETCH, high, limit: limit - found.length })) found.push(toRecord(row));
      }
      return found;
    },
    async pageDecisions({ after, limit, ...query }) {
      const read = reader(query, 'ASC');
      const decisions: DecisionRecord[] = [];
      let length = 0;
      const end = newestSeq();
      for (let low = after; low < end; low += STRETCH) {
        if (low > after) await turn();
        for (const row of read({ low, high: Math.min(low + STRETCH, end), limit: limit - decisions.length })) {
          decisions.push(toRecord(row));
          length += row.record.length;
          if (decisions.length === limit || length >= PAGE_LENGTH) return { decisions, upTo: row.seq, more: true };
        }
      }
      // A restored backup may be older than what the caller has seen: he goes on from what there is.
      return { decisions, upTo: end, more: false };
    },
    async findDecision(decisionId) {
      const row = find.get(decisionId);
      return row && toRecord(row);
    },
    async countDecisions() {
      const { n, upTo } = count.get(counted.upTo) ?? { n: 0, upTo: null };
      counted = { n: counted.n + n, upTo: upTo ?? counted.upTo };
      return counted.n;
    },
  };
};
