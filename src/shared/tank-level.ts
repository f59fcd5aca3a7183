/** A tank that covers fewer further operations is low, where the operator has not said at what amount it is. */
const LOW_OPERATIONS = 20n;

/** What makes a tank low. */
export interface LowTank {
  /** The most that an operation of the DApp costs, wei; undefined where it had none yet. */
  readonly operationWei?: bigint | undefined;
  /** The operator's own threshold, wei. */
  readonly lowWei?: bigint | undefined;
}

/** What is left in a tank besides what is promised, in a word: for the page, and for notifications. */
export const tankLevel = (freeWei: bigint, { operationWei, lowWei }: LowTank): 'good' | 'low' | 'empty' => {
  if (freeWei <= 0n) return 'empty';
  const enough = lowWei ?? (operationWei === undefined ? 0n : LOW_OPERATIONS * operationWei);
  return freeWei < enough ? 'low' : 'good';
};
