/**
 * The value of an amount of the coin in 10^-18 US dollars, rounded up: as fine as wei are of the coin.
 * @param price US dollars for one coin, decimal
 */
export const dollarsOf = (wei: bigint, price: string): bigint => {
  const [whole = '0', fraction = ''] = price.split('.');
  const one = 10n ** BigInt(fraction.length);
  return (wei * BigInt(whole + fraction) + one - 1n) / one;
};
