import { decimalToWei, positiveDecimal, weiToDecimal } from './schema/decimal.ts';

/** Wei of a typed amount of the coin, as decimal digits; undefined if the text is not an amount. */
export const typedWei = (text: string): string | undefined => {
  const digits = positiveDecimal(text.trim());
  if (digits === undefined) return undefined;
  // Finer than one wei.
  if ((digits.split('.')[1] ?? '').length > 18) return undefined;
  return String(decimalToWei(digits));
};

/** The same for an optional field: null if it is empty. */
export const typedWeiOrNone = (text: string): string | null | undefined => (text.trim() === '' ? null : typedWei(text));

/** Text of an optional field, from the stored amount. */
export const shownWeiOrNone = (wei: string | null | undefined): string =>
  wei === null || wei === undefined ? '' : weiToDecimal(BigInt(wei));
