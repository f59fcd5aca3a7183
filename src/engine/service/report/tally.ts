import type { DecisionRow } from '../../../shared/schema/decision.ts';

export type OutcomeCounts = Record<DecisionRow['outcome'], number>;

/** Amounts of the sponsored operations on one chain, in wei. */
export interface Money {
  /** Maximum cost of all operations. */
  maxWei: bigint;
  /** Actual cost of the mined operations. */
  actualWei: bigint;
  /** Maximum cost of the operations that are not settled yet. */
  openWei: bigint;
}

export interface Tally {
  readonly counts: OutcomeCounts;
  /** Amounts by chain id. */
  readonly money: Map<number, Money>;
  /** Counts by day in UTC, such as `2026-11-21`. */
  readonly days: Map<string, OutcomeCounts & { readonly spentWei: Map<number, bigint> }>;
  /** Number of denials by the rule that denied. */
  readonly rules: Map<string, number>;
}

const none = (): OutcomeCounts => ({ sponsored: 0, denied: 0, error: 0 });

export const emptyTally = (): Tally => ({ counts: none(), money: new Map(), days: new Map(), rules: new Map() });

const entry = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
};

/** The actual cost in wei, or the maximum cost while the actual cost is unknown; null for a decision without cost. */
const spentBy = ({ actualCostWei, maxCostWei, settlement }: DecisionRow): bigint | null => {
  if (actualCostWei !== null) return BigInt(actualCostWei);
  const isOpen = settlement === 'reserved' || settlement === 'unconfirmed';
  return isOpen && maxCostWei !== null ? BigInt(maxCostWei) : null;
};

export const count = ({ counts, money, days, rules }: Tally, decision: DecisionRow): void => {
  const { outcome, at, rule, chainId, actualCostWei, maxCostWei } = decision;
  counts[outcome] += 1;
  const day = entry(days, new Date(at).toISOString().slice(0, 10), () => ({
    ...none(),
    spentWei: new Map<number, bigint>(),
  }));
  day[outcome] += 1;
  if (rule !== null) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  if (outcome !== 'sponsored') return;
  const chain = entry(money, chainId, () => ({ maxWei: 0n, actualWei: 0n, openWei: 0n }));
  chain.maxWei += BigInt(maxCostWei ?? 0);
  const spentWei = spentBy(decision);
  if (spentWei === null) return;
  if (actualCostWei === null) chain.openWei += spentWei;
  else chain.actualWei += spentWei;
  day.spentWei.set(chainId, (day.spentWei.get(chainId) ?? 0n) + spentWei);
};
