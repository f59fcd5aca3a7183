import type Database from 'better-sqlite3';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { Conclusion, DecisionDraft, DecisionFilter, Store, TankClaim } from '../store.ts';

type DecisionStore = Pick<Store, 'decideAndReserve' | 'listDecisions' | 'findDecision' | 'countDecisions'>;

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

/** Decisions and gas-tank promises in SQLite. */
export const decisionStore = (database: Database.Database): DecisionStore => {
  const insert = database.prepare(
    `INSERT INTO decision (id, at, paymaster_id, sender, outcome, user_op_hash, settlement, actual_cost_wei, record)
     VALUES (@id, @at, @paymasterId, @sender, @outcome, @userOpHash, @settlement, @actualCostWei, @record)`,
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
  const promised = database.prepare<[string], { wei: string }>(
    'SELECT promised_wei AS wei FROM tank WHERE tank_id = ?',
  );
  const setPromised = database.prepare<[string, string]>(
    'INSERT INTO tank VALUES (?, ?) ON CONFLICT DO UPDATE SET promised_wei = excluded.promised_wei',
  );
  const due = database.prepare<[string, number], { seq: number; wei: string }>(
    'SELECT decision_seq AS seq, amount_wei AS wei FROM tank_promise WHERE tank_id = ? AND release_at <= ?',
  );
  const forget = database.prepare<[number]>('DELETE FROM tank_promise WHERE decision_seq = ?');
  const markReleased = database.prepare<[number]>(`UPDATE decision SET settlement = 'released' WHERE seq = ?`);
  const addPromise = database.prepare<[number, string, string, number]>('INSERT INTO tank_promise VALUES (?, ?, ?, ?)');

  const promisedFrom = (tankId: string): bigint => BigInt(promised.get(tankId)?.wei ?? '0');

  const releaseDue = (tankId: string, now: number): void => {
    const released = due.all(tankId, now);
    if (released.length === 0) return;
    for (const promise of released) {
      forget.run(promise.seq);
      markReleased.run(promise.seq);
    }
    const amount = released.reduce((sum, promise) => sum + BigInt(promise.wei), 0n);
    setPromised.run(tankId, String(promisedFrom(tankId) - amount));
  };

  const append = (draft: DecisionDraft): DecisionRecord => {
    const { settlement, actualCostWei, ...stored } = draft;
    const { lastInsertRowid } = insert.run({ ...draft, record: JSON.stringify(stored) });
    return { ...stored, settlement, actualCostWei, seq: Number(lastInsertRowid) };
  };

  const decide = database.transaction(
    (claim: TankClaim | undefined, now: number, conclude: (promisedWei: bigint) => Conclusion): DecisionRecord => {
      if (claim !== undefined) releaseDue(claim.tankId, now);
      const before = claim === undefined ? 0n : promisedFrom(claim.tankId);
      const { decision, reserve } = conclude(before);
      const record = append(decision);
      if (claim !== undefined && reserve) {
        setPromised.run(claim.tankId, String(before + claim.amountWei));
        addPromise.run(record.seq, claim.tankId, String(claim.amountWei), claim.releaseAt);
      }
      return record;
    },
  );

  return {
    async decideAndReserve(claim, now, conclude) {
      return decide.immediate(claim, now, conclude);
    },
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
