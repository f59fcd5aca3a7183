/** Upper end of the search: no amount of wei, gas or operations is as large. */
const EVERYTHING = 1n << 120n;

/**
 * The largest number that passes. All numbers up to it must pass, and none above it. Undefined if every number passes.
 * @param least a number that is known to pass
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
