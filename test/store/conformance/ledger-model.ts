import { decimalToWei } from '../../../src/shared/schema/decimal.ts';
import type { Address } from '../../../src/shared/schema/hex.ts';
import type { SpendingLimit } from '../../../src/core/rules/spending-limit/index.ts';

/** A limit at one moment: its update starts another one, as far as counting goes. */
export interface ModelLimit {
  readonly ruleId: string;
  readonly cycle: number;
  readonly limit: SpendingLimit;
}

/** A sponsored decision, in the words of behaviour 6.3 and without any counter. */
export interface ModelDecision {
  readonly id: string;
  readonly hash: string;
  readonly sender: Address;
  readonly cost: bigint;
  /** US dollars for one coin, decimal; null: no one knows. */
  readonly price: string | null;
  readonly at: number;
  /** Unix s. */
  readonly validUntil: number;
  /** The limits that were active when it was made. */
  readonly limits: readonly ModelLimit[];
  settlement: 'reserved' | 'settled' | 'released' | 'unconfirmed';
  actual?: bigint | undefined;
  block?: number | undefined;
}

/** Which of a limit's windows a time lies in; counted up window by window, not divided. */
const windowOf = ({ startTimeInEpoch, durationInMs }: SpendingLimit, at: number): number => {
  let index = 0;
  if (durationInMs === undefined) return index;
  while (at >= startTimeInEpoch + (index + 1) * durationInMs) index += 1;
  return index;
};

/** What a limit allows per window. */
export const thresholdOf = ({ thresholdType, threshold }: SpendingLimit): bigint =>
  thresholdType === 'COUNT' ? BigInt(threshold) : decimalToWei(threshold);

const divideUp = (dividend: bigint, divisor: bigint): bigint =>
  dividend / divisor + (dividend % divisor === 0n ? 0n : 1n);

/** What an operation may take of a limit; nothing where no price is known, since it is denied then. */
export const amountOf = (
  { thresholdType }: SpendingLimit,
  { cost, price }: Pick<ModelDecision, 'cost' | 'price'>,
): bigint => {
  if (thresholdType === 'COUNT') return 1n;
  if (thresholdType === 'NATIVE_ASSET') return cost;
  return price === null ? 0n : divideUp(cost * decimalToWei(price), 10n ** 18n);
};

/** What a settled operation has taken of a limit: in dollars by the price of when it was signed. */
const takenBy = (limit: SpendingLimit, decision: ModelDecision): bigint => {
  const { actual, cost } = decision;
  if (actual === undefined || cost === 0n || limit.thresholdType === 'COUNT') return amountOf(limit, decision);
  return limit.thresholdType === 'USD' ? divideUp(amountOf(limit, decision) * actual, cost) : actual;
};

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** The ledger as it must come out: sums over all decisions that there ever were. */
export class LedgerModel {
  readonly decisions: ModelDecision[] = [];

  /** Used of a limit in the window of `at`, by this sender if the limit is per user. */
  used({ ruleId, cycle, limit }: ModelLimit, sender: string, at: number): bigint {
    const counted = this.decisions.filter(
      (one) =>
        one.limits.some((bound) => bound.ruleId === ruleId && bound.cycle === cycle) &&
        windowOf(limit, one.at) === windowOf(limit, at) &&
        (limit.type === 'PAYMASTER' || one.sender === sender),
    );
    return sum(counted.map((one) => (one.settlement === 'released' ? 0n : takenBy(limit, one))));
  }

  /** Wei that the tank still owes. */
  reserved(): bigint {
    return sum(this.decisions.filter(({ settlement }) => settlement === 'reserved').map(({ cost }) => cost));
  }

  settle(id: string, actual: bigint, block: number): void {
    const decision = this.decisions.find((one) => one.id === id);
    if (decision === undefined) throw new Error(`${id} was never sponsored`);
    Object.assign(decision, { settlement: 'settled', actual, block });
  }

  /** Takes back what was settled in these blocks. */
  reorg(from: number, to: number): void {
    for (const decision of this.decisions) {
      if (decision.block === undefined || decision.block < from || decision.block > to) continue;
      Object.assign(decision, { settlement: 'reserved', actual: undefined, block: undefined });
    }
  }

  /** Ends those of the decisions that are reserved. */
  end(ids: readonly string[], to: 'released' | 'unconfirmed'): void {
    for (const decision of this.decisions) {
      if (decision.settlement === 'reserved' && ids.includes(decision.id)) decision.settlement = to;
    }
  }
}
