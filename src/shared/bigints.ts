/** The smaller of two amounts. */
export const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** The larger of two amounts. */
export const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** The amount by which a value exceeds a bound; 0 if the value does not exceed the bound. */
export const above = (value: bigint, bound: bigint): bigint => (value > bound ? value - bound : 0n);
