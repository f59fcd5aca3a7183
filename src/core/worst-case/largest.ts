/** The search ends here: no amount of wei, gas or operations is as large. */
const EVERYTHING = 1n << 120n;

/**
 * The largest number that passes, if all numbers up to it pass and none above it does; undefined if every number
 * passes.
 * @param least passes for certain
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
