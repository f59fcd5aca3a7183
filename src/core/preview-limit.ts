import { windowAt } from './ledger/windows.ts';
import { type LimitWords, cycleMs, limitAmount, thresholdUnits } from './rules/spending-limit.ts';

/** An operation that was decided before, as a limit counts it. */
interface Counted {
  readonly sender: string;
  /** Epoch ms. */
  readonly at: number;
  readonly costWei: bigint;
}

/** What a limit would have done. */
export interface LimitPreview {
  readonly users: number;
  /** Users of whom an operation would have been denied. */
  readonly usersReached: number;
  readonly operations: number;
  readonly operationsDenied: number;
}

/**
 * What a limit would have done to these operations, the oldest first, had its first window begun at `from`. What it
 * denies takes nothing from it, as when deciding.
 */
export const previewLimit = (limit: LimitWords, from: number, operations: readonly Counted[]): LimitPreview => {
  const proposed = { ...limit, startTimeInEpoch: from, durationInMs: cycleMs(limit.cycleDuration) };
  const threshold = thresholdUnits(proposed);
  const used = new Map<string, bigint>();
  const reached = new Set<string>();
  let operationsDenied = 0;
  for (const { sender, at, costWei } of operations) {
    const account = `${windowAt(proposed, at).index} ${limit.type === 'SMART_ACCOUNT' ? sender : ''}`;
    const after = (used.get(account) ?? 0n) + limitAmount(proposed, costWei);
    if (after <= threshold) used.set(account, after);
    else {
      operationsDenied += 1;
      reached.add(sender);
    }
  }
  const users = new Set(operations.map(({ sender }) => sender)).size;
  return { users, usersReached: reached.size, operations: operations.length, operationsDenied };
};
