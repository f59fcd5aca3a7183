import { decimalToUnits, unitsToDecimal } from '../../shared/schema/decimal.ts';
import { NO_MARKUP } from '../paymaster-layouts/price-markup.ts';

/** `priceMarkup` is in millionths, so the finest premium is a ten-thousandth of a percent. */
const MARKUP_DECIMALS_PER_PERCENT = 4;
const MARKUP_ONE = BigInt(NO_MARKUP);

const ceilDivide = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

/** A price with a premium, in millionths of the cost: a premium of `13` (percent) gives 1,130,000. Exact. */
export const priceMarkup = (premium: string): bigint =>
  MARKUP_ONE + decimalToUnits(premium, MARKUP_DECIMALS_PER_PERCENT);

/**
 * An exchange rate that includes the premium, for contracts without a markup. It is rounded up to a whole unit per
 * coin.
 */
export const rateWithPremium = (exchangeRate: bigint, premium: string): bigint =>
  ceilDivide(exchangeRate * priceMarkup(premium), MARKUP_ONE);

/**
 * The number of whole tokens for an amount in units. Biconomy's clients compute an approval from this number in
 * floating point, as `Math.ceil(number * 10 ** decimals)`. The result is the smallest number for which they approve
 * enough.
 */
export const clientNumber = (units: bigint, decimals: number): number => {
  let value = Number(unitsToDecimal(units, decimals));
  while (BigInt(Math.ceil(value * 10 ** decimals)) < units) value = nextUp(value);
  return value;
};

/** The next larger double (IEEE 754) of a non-negative number. */
const nextUp = (value: number): number => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigUint64(0, view.getBigUint64(0) + 1n);
  return view.getFloat64(0);
};
