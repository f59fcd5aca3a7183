import type Database from 'better-sqlite3';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { DecisionDraft, DecisionFilter, Store } from '../store.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Ledger } from './ledger.ts';

type DecisionStore = Pick<
  Store,
  'decideAndReserve' | 'appendDecision' | 'settlements' | 'heldOf' | 'listDecisions' | 'findDecision' | 'countDecisions'
>;

interface DecisionRow {
  seq: number;
  settlement: DecisionRecord['settlement'];
  actualCostWei: string | null;
  record: string;
}

/** What stands in columns of its own, because it changes after the decision or is looked up by. */
type StoredRecord = Omit<DecisionDraft, 'settlement' | 'actualCostWei'>;

const DECISION = 'SELECT seq, settlement, actual_cost_wei AS actualCostWei, record FROM decision';

/** How each filter of the list is said in SQL. */
const CONDITIONS: Readonly<Record<keyof Omit<DecisionFilter, 'limit'>, string>> = {
  paymasterId: 'paymaster_id = @paymasterId',
  outcome: 'outcome = @outcome',
  before: 'seq < @before',
};

/** Text of the list with these filters and no others: `@x IS NULL OR …` would keep SQLite from using an index. */
const listSql = (filter: DecisionFilter): string => {
  const names = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];
  const conditions = names.filter((name) => filter[name] !== undefined).map((name) => CONDITIONS[name]);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')} `;
  return `${DECISION} ${where}ORDER BY seq DESC LIMIT @limit`;
};

const toRecord = ({ record, ...row }: DecisionRow): DecisionRecord => ({
  ...(JSON.parse(record) as StoredRecord),
  ...row,
});

/** Decisions in SQLite, each with what it reserves. */
export const decisionStore = (database: Database.Database, ledger: Ledger, commit: GroupCommit): DecisionStore => {
  const insert = database.prepare(
    `INSERT INTO decision (id, at, paymaster_id, chain_id, sender, outcome, user_op_hash, valid_until, settlement,
       actual_cost_wei, record)
     VALUES (@id, @at, @paymasterId, @chainId, @sender, @outcome, @userOpHash, @validUntil, @settlement,
       @actualCostWei, @record)`,
  );
  const prepareList = (sql: string) => database.prepare<[DecisionFilter], DecisionRow>(sql);
  const lists = new Map<string, ReturnType<typeof prepareList>>();
  const list = (filter: DecisionFilter): DecisionRow[] => {
    const sql = listSql(filter);
    const statement = lists.get(sql) ?? prepareList(sql);
    lists.set(sql, statement);
    return statement.all(filter);
  };
  const find = database.prepare<[string], DecisionRow>(`${DECISION} WHERE id = ?`);
  const count = database.prepare<[], { n: number }>('SELECT count(*) AS n FROM decision');

  const watch = database.prepare<[number, string, string]>('INSERT OR IGNORE INTO watched_paymaster VALUES (?, ?, ?)');
  /** Tells settlement which paymasters to look for. */
  const watchPaymaster = ({ chainId, entryPoint, paymasterAndData }: DecisionDraft): void => {
    watch.run(chainId, entryPoint, paymasterAndData.slice(0, 42).toLowerCase());
  };

  const append = (draft: DecisionDraft): DecisionRecord => {
    if (draft.outcome === 'sponsored') watchPaymaster(draft);
    const { settlement, actualCostWei, ...stored } = draft;
    const { lastInsertRowid } = insert.run({ ...draft, record: JSON.stringify(stored) });
    return { ...stored, settlement, actualCostWei, seq: Number(lastInsertRowid) };
  };

  return {
    async settlements() {
      return ledger.settlements();
    },
    async heldOf(claims) {
      return claims.map(({ key }) => ledger.held(key));
    },
    decideAndReserve: ({ claims, settlements }, conclude) =>
      commit.run(() => {
        if (ledger.settlements() !== settlements) return undefined;
        const { decision, reserve } = conclude(claims.map(({ key }) => ledger.held(key)));
        const record = append(decision);
        if (reserve) ledger.reserve(record.seq, claims);
        return record;
      }),
    appendDecision: (decision) => commit.run(() => append(decision)),
    async listDecisions(filter) {
      return list(filter).map(toRecord);
    },
    async findDecision(decisionId) {
      const row = find.get(decisionId);
      return row && toRecord(row);
    },
    async countDecisions() {
      return count.get()?.n ?? 0;
    },
  };
};
