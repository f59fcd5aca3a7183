/** Above it nothing is looked for: no amount of wei, gas or operations comes to so many. */
const EVERYTHING = 1n << 120n;

/**
 * The largest number that passes, where all up to it pass and none above it does; undefined where everything passes.
 *
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
