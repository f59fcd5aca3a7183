/**
 * A value or, if it must be waited for, its promise. What every decision asks for is nearly always at hand, and each wait
 * for a value that is at hand costs a decision about as much as one of its rules.
 */
export type Soon<T> = T | Promise<T>;

/** Uses a value at once if it is at hand, else when it is there. */
export const soon = <T, Result>(value: Soon<T>, use: (value: T) => Soon<Result>): Soon<Result> =>
  value instanceof Promise ? value.then(use) : use(value);

type Values<All extends readonly unknown[]> = { -readonly [Index in keyof All]: Awaited<All[Index]> };

/** Several values, at once if all of them are at hand. */
export const allSoon = <const All extends readonly unknown[]>(values: All): Soon<Values<All>> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as Values<All>);
