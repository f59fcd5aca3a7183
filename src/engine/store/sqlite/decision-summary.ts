import type Database from 'better-sqlite3';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { DecisionSummary, OutcomeCounts, Store } from '../store.ts';

interface SummaryRow {
  step: number;
  chainId: number;
  outcome: DecisionRecord['outcome'];
  rule: string | null;
  costWei: string | null;
}

/** What one reading is about: a stretch of decisions, and the time they are counted by. */
interface Asked {
  from: number;
  stepMs: number;
  low: number;
  high: number;
}

/** Read at once: SQLite answers before anything else runs. */
const STRETCH = 2_000;

/** The maximum stands in the record alone, which is read only where the actual cost is not known yet. */
const ROWS = `
  SELECT CAST((at - @from) / @stepMs AS INTEGER) AS step, chain_id AS chainId, outcome, rule,
    CASE
      WHEN actual_cost_wei IS NOT NULL THEN actual_cost_wei
      WHEN settlement IN ('reserved', 'unconfirmed') THEN record ->> 'maxCostWei'
    END AS costWei
  FROM decision WHERE seq > @low AND seq <= @high AND at >= @from`;

const add = ({ outcomes, rules, spent }: DecisionSummary, { chainId, outcome, rule, costWei, ...row }: SummaryRow) => {
  // What is made at this very moment belongs to the last step.
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

/** Counting decisions in SQLite: from the newest back, until a whole stretch is older than what is asked for. */
export const decisionSummary = (database: Database.Database): Pick<Store, 'summarizeDecisions'> => {
  const rows = database.prepare<[Asked], SummaryRow>(ROWS);
  const newest = database.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM decision');
  return {
    async summarizeDecisions({ from, stepMs, steps }) {
      const none = (): OutcomeCounts => ({ sponsored: 0, denied: 0, error: 0 });
      const summary: DecisionSummary = {
        outcomes: Array.from({ length: steps }, none),
        rules: new Map(),
        spent: new Map(),
      };
      for (let high = newest.get()?.seq ?? 0; high > 0; high -= STRETCH) {
        const found = rows.all({ from, stepMs, low: high - STRETCH, high });
        if (found.length === 0) break;
        for (const row of found) add(summary, row);
        // Whatever else waits has its turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return summary;
    },
  };
};
