/** Prefix of the reason of a pause that the burn-rate breaker made; it distinguishes that pause from the operator's. */
export const BREAKER_REASON = 'Burn-rate breaker:';

export const DEFAULT_BREAKER =
  'Per hour, a quarter of what the gas tanks of the chain hold, or what 20 usual operations (2 million gas each) may cost, whichever is more';
