import { readRecord } from '../../../core/decision/stored-record.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { DecisionQueries, DecisionSummary, OutcomeCounts, ShadowResult } from '../decision-queries.ts';
import type { Rows } from './rows.ts';

type Queries = Pick<DecisionQueries, 'paidSince' | 'shadowResult' | 'summarizeDecisions'>;

const SHADOW = `SELECT count(*) AS operations, count(*) FILTER (WHERE would_deny = 1) AS "wouldDeny",
    count(DISTINCT CASE would_deny WHEN 1 THEN sender END) AS users
  FROM shadow_result JOIN decision ON seq = decision_seq AND outcome = 'sponsored'
  WHERE rule_id = $1 AND cycle = $2`;

const PAID = `SELECT sum(actual_cost_wei::numeric)::text AS wei, min(at) AS "firstAt" FROM decision
  WHERE paymaster_id = ANY($1::text[]) AND settlement = 'settled' AND at >= $2 AND at < $3`;

interface SummaryRow {
  readonly seq: number;
  readonly step: number;
  readonly chainId: number;
  readonly outcome: DecisionRecord['outcome'];
  readonly rule: string | null;
  readonly settlement: DecisionRecord['settlement'];
  readonly actualCostWei: string | null;
  /** Set if the maximum counts, which only the record contains. */
  readonly record: string | null;
}

/** Decisions per read. */
const STRETCH = 2_000;

const STRETCH_OF = `SELECT seq, (at - $1) / $2 AS step, chain_id AS "chainId", outcome, rule, settlement,
    actual_cost_wei AS "actualCostWei",
    CASE WHEN actual_cost_wei IS NULL AND settlement IN ('reserved', 'unconfirmed') THEN record END AS record
  FROM decision WHERE seq > $3 AND seq <= $4 AND at >= $1 AND ($5::text IS NULL OR paymaster_id = $5)`;

const IS_NEWER = 'SELECT 1 FROM decision WHERE seq > $1 AND seq <= $2 AND at >= $3 LIMIT 1';

const add = (summary: DecisionSummary, { chainId, outcome, rule, ...row }: SummaryRow): void => {
  const { outcomes, rules, spent } = summary;
  // A decision made during the query belongs to the last step.
  const step = Math.min(row.step, outcomes.length - 1);
  const counts = outcomes[step];
  if (counts === undefined) return;
  counts[outcome] += 1;
  if (rule !== null) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  const costWei = row.actualCostWei ?? (row.record === null ? null : readRecord(row.record).maxCostWei);
  if (costWei === null) return;
  const series = spent.get(chainId) ?? outcomes.map(() => 0n);
  series[step] = (series[step] ?? 0n) + BigInt(costWei);
  spent.set(chainId, series);
};

export const decisionCounts = (rows: Rows): Queries => ({
  async shadowResult({ ruleId, cycle }) {
    const none = { operations: 0, wouldDeny: 0, users: 0 };
    return (await rows.get<ShadowResult>(SHADOW, [ruleId, cycle])) ?? none;
  },
  async paidSince({ paymasterIds, from, to }) {
    const found = await rows.get<{ wei: string | null; firstAt: number | null }>(PAID, [[...paymasterIds], from, to]);
    return { paidWei: BigInt(found?.wei ?? '0'), firstAt: found?.firstAt ?? undefined };
  },
  async summarizeDecisions({ paymasterId, from, stepMs, steps }) {
    const none = (): OutcomeCounts => ({ sponsored: 0, denied: 0, error: 0 });
    const summary: DecisionSummary = {
      outcomes: Array.from({ length: steps }, none),
      rules: new Map(),
      spent: new Map(),
    };
    const newest = await rows.get<{ seq: number }>('SELECT coalesce(max(seq), 0) AS seq FROM decision');
    // From the newest back, until a whole batch is older than the start.
    for (let high = newest?.seq ?? 0; high > 0; high -= STRETCH) {
      const found = await rows.all<SummaryRow>(STRETCH_OF, [from, stepMs, high - STRETCH, high, paymasterId ?? null]);
      for (const row of found) add(summary, row);
      if (found.length === 0 && (await rows.get(IS_NEWER, [high - STRETCH, high, from])) === undefined) break;
    }
    return summary;
  },
});
