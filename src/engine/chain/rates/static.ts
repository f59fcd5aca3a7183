import { decimalToUnits } from '../../../shared/schema/decimal.ts';
import type { RateOf, TokenRate } from './rate.ts';

/** The rate that the operator has set. Of the dollar it says nothing. */
export const staticRate = ({ tokensPerCoin }: RateOf<'static'>, decimals: number): TokenRate => ({
  exchangeRate: decimalToUnits(tokensPerCoin, decimals),
});
