import { unitsToDecimal, weiToDecimal } from '../schema/decimal.ts';

/** Digits that are shown before the rest is left to the hover. */
const SIGNIFICANT = 6;

/** A whole number with its digits in groups of three: `1,000,000`. */
export const grouped = (whole: string | number): string => String(whole).replace(/\B(?=(\d{3})+$)/g, ',');

/**
 * Decimal digits as they are shown: the first significant ones, cut and never rounded up, so that nothing seems to be
 * there that is not.
 */
export const shownDecimal = (decimal: string): string => {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const digits = whole === '0' ? zeros + SIGNIFICANT : Math.max(0, SIGNIFICANT - whole.length);
  const cut = fraction.slice(0, digits).replace(/0+$/, '');
  return grouped(whole) + (cut === '' ? '' : `.${cut}`);
};

/** An amount of the native coin as it is shown. */
export const shownAmount = (wei: bigint): string => shownDecimal(weiToDecimal(wei));

/** Wei with its digits in groups, for the hover. */
export const exactWei = (wei: bigint): string => `${grouped(String(wei))} wei`;

const MICRO = 10n ** 12n;

const asDollars = (decimal: string): string => {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return `$${grouped(whole)}${fraction === '' ? '' : `.${fraction.padEnd(2, '0')}`}`;
};

/** US dollars to the millionth, rounded up: an amount that is too much is never shown as one that fits. @param units 10^-18 dollars */
export const dollars = (units: bigint): string => asDollars(unitsToDecimal((units + MICRO - 1n) / MICRO, 6));

/** US dollars as they are shown: the first significant digits, cut. @param units 10^-18 dollars */
export const shownDollars = (units: bigint): string => asDollars(shownDecimal(weiToDecimal(units)).replaceAll(',', ''));
