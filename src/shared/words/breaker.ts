/** How the reason of a pause begins that the burn-rate breaker made, and not the operator. */
export const BREAKER_REASON = 'Burn-rate breaker:';
