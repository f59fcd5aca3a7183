/** The smaller of two. */
export const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** The larger of two. */
export const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** How much a value is above a bound; 0 if it is not. */
export const above = (value: bigint, bound: bigint): bigint => (value > bound ? value - bound : 0n);
