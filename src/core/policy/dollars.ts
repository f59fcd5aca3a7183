/**
 * The dollar value of an amount of the native coin, in units of 10^-18 US dollars, rounded up.
 * @param price US dollars for one coin, decimal
 */
export const dollarsOf = (wei: bigint, price: string): bigint => {
  const [whole = '0', fraction = ''] = price.split('.');
  const one = 10n ** BigInt(fraction.length);
  return (wei * BigInt(whole + fraction) + one - 1n) / one;
};
