/**
 * Prefix of a pause's reason if the burn-rate breaker has paused sponsorship. It distinguishes such a pause from one by
 * the operator.
 */
export const BREAKER_REASON = 'Burn-rate breaker:';

export const DEFAULT_BREAKER =
  'Per hour, a quarter of what the gas tanks of the chain hold, or what 20 usual operations (2 million gas each) may cost, whichever is more';
