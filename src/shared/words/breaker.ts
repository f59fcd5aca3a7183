/** How the reason of a pause begins that the burn-rate breaker made, and not the operator. */
export const BREAKER_REASON = 'Burn-rate breaker:';

/** What the default breaker of a chain is. */
export const DEFAULT_BREAKER =
  'A quarter of what the gas tanks of the chain hold per hour, and at least 20 usual operations (2 million gas each)';
