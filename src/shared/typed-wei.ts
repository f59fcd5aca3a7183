import { decimalToWei, positiveDecimal } from './schema/decimal.ts';

/** What a person typed as an amount of the coin, in wei as decimal digits; undefined while it is no such amount. */
export const typedWei = (text: string): string | undefined => {
  const digits = positiveDecimal(text.trim());
  if (digits === undefined) return undefined;
  // Finer than a wei.
  if ((digits.split('.')[1] ?? '').length > 18) return undefined;
  return String(decimalToWei(digits));
};
