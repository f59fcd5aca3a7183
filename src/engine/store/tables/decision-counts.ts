import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import { maxCostIn } from '../decision-rows.ts';
import type { DecisionSummary, OutcomeCounts, PaidSince, ShadowResult } from '../decision-queries.ts';
import { LOW_DIGITS, type Reads, type Value, turn } from '../rows.ts';
import { positionsIn } from './positions.ts';

const SHADOW = `SELECT count(*) AS operations, count(*) FILTER (WHERE would_deny = 1) AS would_deny,
    count(DISTINCT CASE would_deny WHEN 1 THEN sender END) AS users
  FROM shadow_result JOIN decision ON seq = decision_seq AND outcome = 'sponsored'
  WHERE rule_id = $1 AND cycle = $2`;

const paidOf = (sum: string): string => `SELECT ${sum}, min(at) AS first_at FROM decision
  WHERE paymaster_id = ANY($1::text[]) AND settlement = 'settled' AND at >= $2 AND at < $3`;

interface PaidRow {
  readonly high: string | null;
  readonly low: string | null;
  readonly firstAt: number | null;
}

/** Period that is read by one blocking statement. In a week there may be a million operations. */
const STRETCH_MS = 6 * 3_600_000;

interface SummaryRow {
  readonly step: number;
  readonly chainId: number;
  readonly outcome: DecisionRecord['outcome'];
  readonly settlement: DecisionRecord['settlement'];
  readonly rule: string | null;
  readonly costWei: string | null;
  /** Set if the decision counts at its maximum cost, which only the record contains. */
  readonly record: string | null;
}

/** Decisions per read. */
const STRETCH = 2_000;

const SUMMARY = `SELECT CAST((at - $1) / $2 AS bigint) AS step, chain_id AS "chainId", outcome, settlement, rule,
    actual_cost_wei AS "costWei",
    CASE WHEN actual_cost_wei IS NULL AND settlement IN ('reserved', 'unconfirmed') THEN record END AS record
  FROM decision WHERE seq > $3 AND seq <= $4 AND at >= $1`;

const IS_NEWER = 'SELECT 1 FROM decision WHERE seq > $1 AND seq <= $2 AND at >= $3 LIMIT 1';

const add = (
  { outcomes, included, rules, spent }: DecisionSummary,
  { chainId, outcome, settlement, rule, ...row }: SummaryRow,
): void => {
  // A decision made during the query belongs to the last step.
  const step = Math.min(row.step, outcomes.length - 1);
  const counts = outcomes[step];
  if (counts === undefined) return;
  counts[outcome] += 1;
  const ended = included[step];
  if (ended !== undefined && outcome === 'sponsored' && settlement !== 'reserved') {
    const mined = settlement === 'settled' ? 1 : 0;
    included[step] = { seen: ended.seen + 1, included: ended.included + mined };
  }
  if (rule !== null) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  const costWei = row.record === null ? row.costWei : maxCostIn(row.record);
  if (costWei === null) return;
  const series = spent.get(chainId) ?? outcomes.map(() => 0n);
  series[step] = (series[step] ?? 0n) + BigInt(costWei);
  spent.set(chainId, series);
};

export interface PaidQuery {
  readonly paymasterIds: readonly string[];
  readonly from: number;
  readonly to: number;
}

export interface SummaryQuery {
  readonly paymasterId?: string | undefined;
  /** Epoch ms. */
  readonly from: number;
  readonly stepMs: number;
  readonly steps: number;
}

export const decisionCounts = (rows: Reads) => ({
  async shadowResult({ ruleId, cycle }: { readonly ruleId: string; readonly cycle: number }): Promise<ShadowResult> {
    const none = { operations: 0, wouldDeny: 0, users: 0 };
    return (await rows.get<ShadowResult>(SHADOW, [ruleId, cycle])) ?? none;
  },
  /**
   * Total cost of the settled operations of some DApps that were decided from `from` (epoch ms) on, and the time of the
   * first.
   */
  async paidSince({ paymasterIds, from, to }: PaidQuery): Promise<PaidSince> {
    const paid = paidOf(rows.sumOf('actual_cost_wei'));
    let paidWei = 0n;
    let firstAt: number | undefined;
    const length = rows.isBlocking ? STRETCH_MS : Infinity;
    for (let start = from; start < to; start += length) {
      const found = await rows.get<PaidRow>(paid, [paymasterIds, start, Math.min(to, start + length)]);
      paidWei += BigInt(found?.high ?? '0') * 10n ** BigInt(LOW_DIGITS) + BigInt(found?.low ?? '0');
      firstAt ??= found?.firstAt ?? undefined;
      await turn();
    }
    return { paidWei, firstAt };
  },
  /** Counts the decisions of one DApp or all, in steps from a time on. The last step includes all later decisions. */
  async summarizeDecisions({ paymasterId, from, stepMs, steps }: SummaryQuery): Promise<DecisionSummary> {
    const none = (): OutcomeCounts => ({ sponsored: 0, denied: 0, error: 0 });
    const summary: DecisionSummary = {
      outcomes: Array.from({ length: steps }, none),
      included: Array.from({ length: steps }, () => ({ seen: 0, included: 0 })),
      rules: new Map(),
      spent: new Map(),
    };
    const [filter, values]: [string, Value[]] =
      paymasterId === undefined ? ['', []] : [' AND paymaster_id = $5', [paymasterId]];
    const positions = positionsIn(rows);
    // Reads from the newest decision backwards, until all decisions of a batch are older than the start.
    for (let high = await positions.upTo(Number.MAX_SAFE_INTEGER); high > 0;) {
      const low = high - STRETCH;
      const found = await rows.all<SummaryRow>(SUMMARY + filter, [from, stepMs, low, high, ...values]);
      for (const row of found) add(summary, row);
      if (found.length === 0 && (await rows.get(IS_NEWER, [low, high, from])) === undefined) break;
      high = await positions.upTo(low);
      await turn();
    }
    return summary;
  },
});
