import { afterAll, beforeAll } from 'vitest';

/**
 * Makes something before the tests of the calling file (or `describe`) and ends it after them. Call the result inside
 * tests.
 *
 * @param end also runs if `make` threw; then without a value
 */
export const useFixture = <T>(
  make: () => T | Promise<T>,
  end: (made: T | undefined) => unknown = () => undefined,
): (() => T) => {
  let made: { readonly value: T } | undefined;
  beforeAll(async () => {
    made = { value: await make() };
  });
  afterAll(async () => {
    await end(made?.value);
  });
  return () => {
    if (made === undefined) throw new Error('It exists only while tests run');
    return made.value;
  };
};
