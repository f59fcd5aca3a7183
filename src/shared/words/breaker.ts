/** How the reason of a pause begins that the burn-rate breaker made, and not the operator. */
export const BREAKER_REASON = 'Burn-rate breaker:';

/** What the default breaker of a chain is. */
export const DEFAULT_BREAKER =
  'Per hour, a quarter of what the gas tanks of the chain hold, or what 20 usual operations (2 million gas each) may cost, whichever is more';
