import { decimalToUnits } from '../../../shared/schema/decimal.ts';
import type { RateOf, TokenRate } from './rate.ts';

/** The exchange rate set by the operator. It implies no price in dollars. */
export const staticRate = ({ tokensPerCoin }: RateOf<'static'>, decimals: number): TokenRate => ({
  exchangeRate: decimalToUnits(tokensPerCoin, decimals),
});
