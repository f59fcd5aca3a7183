/** The smaller of two. */
export const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** The larger of two. */
export const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** The amount by which a value exceeds a bound; 0 if it does not. */
export const above = (value: bigint, bound: bigint): bigint => (value > bound ? value - bound : 0n);
