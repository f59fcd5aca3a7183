import type { LimitWords } from '../../../../core/rules/spending-limit/index.ts';
import { decimalToWei, weiToDecimal } from '../../../../shared/schema/decimal.ts';

type Measure = LimitWords['thresholdType'];

/** Maximum number of positions of a slider, give or take those that are rounded to the same value. */
const POSITIONS = 120;
/** Up to this number of operations, the slider has a position for each. */
const FEW = 60;

const unitsOf = (measure: Measure, threshold: string): bigint =>
  measure === 'COUNT' ? BigInt(threshold) : decimalToWei(threshold);

const decimalOf = (measure: Measure, units: bigint): string =>
  measure === 'COUNT' ? String(units) : weiToDecimal(units);

/** The number with its two first digits, and zeros after them. */
const rounded = (value: number): bigint => {
  const digits = BigInt(Math.trunc(value)).toString();
  return BigInt(digits.slice(0, 2).padEnd(digits.length, '0'));
};

/** Positions at equal ratios, so that each step changes a threshold by about as much. */
const spread = (least: bigint, highest: bigint): bigint[] => {
  const ratio = Number(highest) / Number(least);
  const all = Array.from({ length: POSITIONS + 1 }, (_, index) =>
    rounded(Number(least) * ratio ** (index / POSITIONS)),
  );
  return [...new Set(all)].filter((units) => units > 0n);
};

/**
 * The thresholds that a slider offers, in ascending order: from the smallest that allows anything to twice the most that
 * is used.
 *
 * Decimal, as the engine finds the useful ones.
 */
export const thresholdScale = (
  measure: Measure,
  useful: { readonly least: string; readonly most: string },
): string[] => {
  const [least, most] = [unitsOf(measure, useful.least), unitsOf(measure, useful.most)];
  const highest = 2n * most;
  const positions =
    measure === 'COUNT' && highest <= FEW
      ? Array.from({ length: Number(highest) }, (_, index) => BigInt(index + 1))
      : spread(least, highest);
  return positions.map((units) => decimalOf(measure, units));
};

/** Index of the lowest position that allows as much as a threshold; the last one if none does. */
export const positionOf = (measure: Measure, scale: readonly string[], threshold: string): number => {
  const units = unitsOf(measure, threshold);
  const index = scale.findIndex((one) => unitsOf(measure, one) >= units);
  return index === -1 ? scale.length - 1 : index;
};
