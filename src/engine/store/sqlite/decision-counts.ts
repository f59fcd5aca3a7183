import type Database from 'better-sqlite3';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { DecisionQueries, DecisionSummary, OutcomeCounts, ShadowResult } from '../decision-queries.ts';
import { positionsIn, turn } from './positions.ts';

/** What rules in shadow would have done to sponsored operations. */
const shadowResults = (database: Database.Database): Pick<DecisionQueries, 'shadowResult'> => {
  const count = database.prepare<[string, number], ShadowResult>(
    `SELECT count(*) AS operations, count(*) FILTER (WHERE would_deny = 1) AS wouldDeny,
       count(DISTINCT CASE would_deny WHEN 1 THEN sender END) AS users
     FROM shadow_result JOIN decision ON seq = decision_seq AND outcome = 'sponsored'
     WHERE rule_id = ? AND cycle = ?`,
  );
  const nothing = { operations: 0, wouldDeny: 0, users: 0 };
  return {
    async shadowResult({ ruleId, cycle }) {
      return count.get(ruleId, cycle) ?? nothing;
    },
  };
};

interface PaidRow {
  /** Sums in decimal digits: SQLite's integers are wider than JavaScript's numbers. */
  high: string | null;
  low: string | null;
  firstAt: number | null;
}

interface PaidQuery {
  paymasterId: string;
  from: number;
  to: number;
}

/** SQLite adds up to 2^63: amounts are split in two, so that nine million of them fit. */
const LOW_DIGITS = 12;

/** Time per read, of perhaps a million operations a week: SQLite blocks the process while it reads. */
const STRETCH_MS = 6 * 3_600_000;

const weiIn = ({ high, low }: PaidRow): bigint => BigInt(high ?? '0') * 10n ** BigInt(LOW_DIGITS) + BigInt(low ?? '0');

/** Total cost of operations. An index contains everything that is summed. */
const paidSince = (database: Database.Database): Pick<DecisionQueries, 'paidSince'> => {
  const paid = database.prepare<[PaidQuery], PaidRow>(
    `SELECT CAST(sum(CAST(substr(actual_cost_wei, 1, length(actual_cost_wei) - ${LOW_DIGITS}) AS INTEGER)) AS TEXT) AS high,
       CAST(sum(CAST(substr(actual_cost_wei, -${LOW_DIGITS}) AS INTEGER)) AS TEXT) AS low, min(at) AS firstAt
     FROM decision
     WHERE paymaster_id = @paymasterId AND settlement = 'settled' AND at >= @from AND at < @to`,
  );
  return {
    async paidSince({ paymasterIds, from, to }) {
      let paidWei = 0n;
      let firstAt: number | undefined;
      for (let start = from; start < to; start += STRETCH_MS) {
        for (const paymasterId of paymasterIds) {
          const row = paid.get({ paymasterId, from: start, to: Math.min(to, start + STRETCH_MS) });
          if (row === undefined || row.firstAt === null) continue;
          paidWei += weiIn(row);
          firstAt = Math.min(firstAt ?? row.firstAt, row.firstAt);
        }
        await turn();
      }
      return { paidWei, firstAt };
    },
  };
};

interface SummaryRow {
  paymasterId: string;
  step: number;
  chainId: number;
  outcome: DecisionRecord['outcome'];
  rule: string | null;
  costWei: string | null;
}

interface CountQuery {
  from: number;
  stepMs: number;
  low: number;
  high: number;
}

/** Decisions per read: SQLite blocks the process while it reads. */
const STRETCH = 2_000;

/** Only the record contains the maximum. It is read only while the actual cost is unknown. */
const ROWS = `
  SELECT CAST((at - @from) / @stepMs AS INTEGER) AS step, paymaster_id AS paymasterId,
    chain_id AS chainId, outcome, rule,
    CASE
      WHEN actual_cost_wei IS NOT NULL THEN actual_cost_wei
      WHEN settlement IN ('reserved', 'unconfirmed') THEN record ->> 'maxCostWei'
    END AS costWei
  FROM decision WHERE seq > @low AND seq <= @high AND at >= @from`;

const add = ({ outcomes, rules, spent }: DecisionSummary, { chainId, outcome, rule, costWei, ...row }: SummaryRow) => {
  // A decision made during the query belongs to the last step.
  const step = Math.min(row.step, outcomes.length - 1);
  const counts = outcomes[step];
  if (counts === undefined) return;
  counts[outcome] += 1;
  if (rule !== null) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  if (costWei === null) return;
  const series = spent.get(chainId) ?? outcomes.map(() => 0n);
  series[step] = (series[step] ?? 0n) + BigInt(costWei);
  spent.set(chainId, series);
};

/** Counts decisions from the newest back, until a whole batch is older than the start. */
const summary = (database: Database.Database): Pick<DecisionQueries, 'summarizeDecisions'> => {
  const rows = database.prepare<[CountQuery], SummaryRow>(ROWS);
  const positions = positionsIn(database);
  return {
    async summarizeDecisions({ paymasterId, from, stepMs, steps }) {
      const none = (): OutcomeCounts => ({ sponsored: 0, denied: 0, error: 0 });
      const counted: DecisionSummary = {
        outcomes: Array.from({ length: steps }, none),
        rules: new Map(),
        spent: new Map(),
      };
      for (let high = positions.upTo(Infinity); high > 0; high = positions.upTo(high - STRETCH)) {
        const found = rows.all({ from, stepMs, low: high - STRETCH, high });
        if (found.length === 0) break;
        for (const row of found) if (paymasterId === undefined || row.paymasterId === paymasterId) add(counted, row);
        await turn();
      }
      return counted;
    },
  };
};

/** Counts all decisions. They are never deleted, so only new ones are counted. */
const total = (database: Database.Database): Pick<DecisionQueries, 'countDecisions'> => {
  const count = database.prepare<[number], { n: number; upTo: number | null }>(
    'SELECT count(*) AS n, max(seq) AS upTo FROM decision WHERE seq > ?',
  );
  let counted = { n: 0, upTo: 0 };
  return {
    async countDecisions() {
      const { n, upTo } = count.get(counted.upTo) ?? { n: 0, upTo: null };
      counted = { n: counted.n + n, upTo: upTo ?? counted.upTo };
      return counted.n;
    },
  };
};

export const decisionCounts = (database: Database.Database) => ({
  ...total(database),
  ...paidSince(database),
  ...shadowResults(database),
  ...summary(database),
});
