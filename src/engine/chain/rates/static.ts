import { decimalToUnits } from '../../../shared/schema/decimal.ts';
import type { RateOf, TokenRate } from './rate.ts';

/** The operator's rate. It gives no price in dollars. */
export const staticRate = ({ tokensPerCoin }: RateOf<'static'>, decimals: number): TokenRate => ({
  exchangeRate: decimalToUnits(tokensPerCoin, decimals),
});
