/**
 * Prefix of a pause's reason if the burn-rate breaker has paused sponsorship. It distinguishes such a pause from one by
 * the operator.
 */
export const BREAKER_REASON = 'Burn-rate breaker:';

/** Prefix of the reason if the breaker has paused all DApps of a chain. */
export const CHAIN_BREAKER_REASON = `${BREAKER_REASON} operations on `;

export const DEFAULT_BREAKER =
  "Per hour, a quarter of the balance of the chain's gas tanks, or the cost of 20 usual operations (2 million gas each), whichever is more";
