import type { DecisionRow } from '../../../shared/schema/decision.ts';

/** How often each outcome came. */
export type OutcomeCounts = Record<DecisionRow['outcome'], number>;

/** Wei of the sponsored operations of one chain. */
export interface Money {
  /** What all of them could cost at most. */
  maxWei: bigint;
  /** What those that were mined cost. */
  actualWei: bigint;
  /** Maximum cost of operations that are not settled yet, wei. */
  openWei: bigint;
}

/** What is counted of decisions. */
export interface Tally {
  readonly counts: OutcomeCounts;
  /** By chain id. */
  readonly money: Map<number, Money>;
  /** By day, `2026-11-21`, UTC. */
  readonly days: Map<string, OutcomeCounts & { readonly spentWei: Map<number, bigint> }>;
  /** Denials by deciding rule. */
  readonly rules: Map<string, number>;
}

const none = (): OutcomeCounts => ({ sponsored: 0, denied: 0, error: 0 });

/** A tally in which nothing is counted yet. */
export const emptyTally = (): Tally => ({ counts: none(), money: new Map(), days: new Map(), rules: new Map() });

/** The entry of a map, made where there is none. */
const entry = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
};

/** Wei that a decision cost, or the maximum while that is not known; null for one that costs nothing. */
const spentBy = ({ actualCostWei, maxCostWei, settlement }: DecisionRow): bigint | null => {
  if (actualCostWei !== null) return BigInt(actualCostWei);
  const isOpen = settlement === 'reserved' || settlement === 'unconfirmed';
  return isOpen && maxCostWei !== null ? BigInt(maxCostWei) : null;
};

/** Counts one decision more. */
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
