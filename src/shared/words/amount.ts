import { unitsToDecimal, weiToDecimal } from '../schema/decimal.ts';

/** Significant digits that are shown. The digits before the decimal point are never cut. */
const SIGNIFICANT = 6;

/** A whole number with its digits in groups of three: `1,000,000`. */
export const grouped = (whole: string | number): string => String(whole).replace(/\B(?=(\d{3})+$)/g, ',');

/**
 * A shortened decimal: its first significant digits, rounded down, so that it never shows more than the actual amount.
 */
export const shownDecimal = (decimal: string): string => {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const digits = whole === '0' ? zeros + SIGNIFICANT : Math.max(0, SIGNIFICANT - whole.length);
  const cut = fraction.slice(0, digits).replace(/0+$/, '');
  return grouped(whole) + (cut === '' ? '' : `.${cut}`);
};

export const shownAmount = (wei: bigint): string => shownDecimal(weiToDecimal(wei));

/** Wei with grouped digits, for a tooltip. */
export const exactWei = (wei: bigint): string => `${grouped(String(wei))} wei`;

const MICRO = 10n ** 12n;

const asDollars = (decimal: string): string => {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return `$${grouped(whole)}${fraction === '' ? '' : `.${fraction.padEnd(2, '0')}`}`;
};

/** US dollars in decimal digits, rounded up to a millionth. @param units 10^-18 dollars */
export const dollarsInMillionths = (units: bigint): string => unitsToDecimal((units + MICRO - 1n) / MICRO, 6);

/**
 * The same with a dollar sign. Rounded up, so that an amount above a limit never appears to be within it. @param units
 * 10^-18 dollars
 */
export const dollars = (units: bigint): string => asDollars(dollarsInMillionths(units));

/** US dollars with all decimal places. @param units 10^-18 dollars */
export const exactDollars = (units: bigint): string => asDollars(weiToDecimal(units));

/** US dollars, shortened to the first significant digits. @param units 10^-18 dollars */
export const shownDollars = (units: bigint): string => asDollars(shownDecimal(weiToDecimal(units)).replaceAll(',', ''));

const CENT = 10n ** 16n;
const TINY_DIGITS = 2;

/** The value in 10^-18 US dollars, rounded down. */
const worth = (wei: bigint, usd: string): bigint => {
  const [whole = '0', fraction = ''] = usd.split('.');
  return (wei * BigInt(whole + fraction)) / 10n ** BigInt(fraction.length);
};

/**
 * The value of an amount of the coin in US dollars, rounded down to the cent or, below one cent, to two significant
 * digits.
 *
 * @param usd US dollars per coin, decimal
 */
export const shownWorth = (wei: bigint, usd: string): string => {
  const units = worth(wei, usd);
  const [whole = '0', fraction = ''] = weiToDecimal(units).split('.');
  const zeros = units < CENT ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const cut = fraction.slice(0, zeros + TINY_DIGITS).replace(/0+$/, '');
  return asDollars(cut === '' ? whole : `${whole}.${cut}`);
};

/** The same value in full, with the price used, for a tooltip. */
export const exactWorth = (wei: bigint, coin: string, usd: string): string =>
  `${asDollars(weiToDecimal(worth(wei, usd)))} at ${asDollars(usd)} for one ${coin}`;

/** An amount with its coin and its value in dollars. @param usd US dollars per coin; empty if unknown */
export const pricedAmount = (wei: bigint, coin: string, usd = ''): string =>
  `${shownAmount(wei)} ${coin}${usd === '' ? '' : ` (${shownWorth(wei, usd)})`}`;
