import type { FeeToken } from '../../../shared/schema/fee-token.ts';

export interface TokenRate {
  /** Token units (the token's smallest) per native coin (1e18 wei), rounded up; at least 1. */
  readonly exchangeRate: bigint;
  /** USD per whole token, times ten to the power of `decimals`; absent if unknown. */
  readonly usd?: { readonly price: bigint; readonly decimals: number };
}

/** The `rate` of a token with this source, e.g. `RateOf<'static'>`. */
export type RateOf<Source extends FeeToken['rate']['source']> = Extract<FeeToken['rate'], { source: Source }>;
