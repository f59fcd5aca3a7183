import type { FeeToken } from '../../../shared/schema/fee-token.ts';

export interface TokenRate {
  /** The token's smallest units for one native coin (1e18 wei), rounded up; at least 1. */
  readonly exchangeRate: bigint;
  /** USD for one whole token, times ten to the power of `decimals`; absent if unknown. */
  readonly usd?: { readonly price: bigint; readonly decimals: number };
}

/** The `rate` of a token by its source, e.g. `RateOf<'static'>`. */
export type RateOf<Source extends FeeToken['rate']['source']> = Extract<FeeToken['rate'], { source: Source }>;
