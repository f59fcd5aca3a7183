import { decimalToWei, positiveDecimal, weiToDecimal } from './schema/decimal.ts';

/**
 * Converts an amount of the coin that the operator typed to wei, as decimal digits; undefined if the text is not an
 * amount.
 */
export const typedWei = (text: string): string | undefined => {
  const digits = positiveDecimal(text.trim());
  if (digits === undefined) return undefined;
  // The amount is more precise than one wei.
  if ((digits.split('.')[1] ?? '').length > 18) return undefined;
  return String(decimalToWei(digits));
};

/** The same for an optional field: null if the text is empty. */
export const typedWeiOrNone = (text: string): string | null | undefined => (text.trim() === '' ? null : typedWei(text));

/** The text of an optional field for a stored amount. */
export const shownWeiOrNone = (wei: string | null | undefined): string =>
  wei === null || wei === undefined ? '' : weiToDecimal(BigInt(wei));
