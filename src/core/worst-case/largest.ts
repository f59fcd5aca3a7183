/** Upper end of the search. No amount of wei, gas or operations is as large. */
const EVERYTHING = 1n << 120n;

/**
 * The largest number for which `passes` is true. It must be true for all numbers up to it, and false for all larger
 * numbers. Undefined if it is true for every number.
 * @param least a number for which it is known to be true
 */
export const largest = (least: bigint, passes: (number: bigint) => boolean): bigint | undefined => {
  let found = least;
  let step = 1n;
  while (passes(found + step)) {
    found += step;
    step *= 2n;
    if (step > EVERYTHING) return undefined;
  }
  while (step > 1n) {
    step /= 2n;
    if (passes(found + step)) found += step;
  }
  return found;
};
