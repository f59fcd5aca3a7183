import { decimalToWei, positiveDecimal, weiToDecimal } from './schema/decimal.ts';

/** What a person typed as an amount of the coin, in wei as decimal digits; undefined while it is no such amount. */
export const typedWei = (text: string): string | undefined => {
  const digits = positiveDecimal(text.trim());
  if (digits === undefined) return undefined;
  // Finer than a wei.
  if ((digits.split('.')[1] ?? '').length > 18) return undefined;
  return String(decimalToWei(digits));
};

/** The same of a field that may be left empty: null while it is. */
export const typedWeiOrNone = (text: string): string | null | undefined => (text.trim() === '' ? null : typedWei(text));

/** What stands in such a field, by what is kept. */
export const shownWeiOrNone = (wei: string | null | undefined): string =>
  wei === null || wei === undefined ? '' : weiToDecimal(BigInt(wei));
