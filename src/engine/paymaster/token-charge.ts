import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { TokenPrice } from './layout.ts';

/** Wei of one native coin: what an exchange rate is for. */
export const WEI_PER_COIN = 10n ** 18n;

/** The rate itself in Biconomy's `priceMarkup`, which is in millionths. */
export const NO_MARKUP = 1_000_000;

/**
 * The most units that contracts charge for an operation, rounded down as they round:
 * (gas cost + postOpGas at the operation's fee) * exchangeRate / 1e18, times priceMarkup / 1e6 or plus constantFee,
 * where the contract has them.
 *
 * @param costWei the most the operation costs
 */
export const mostUnits = (
  costWei: bigint,
  { maxFeePerGas }: Pick<UserOperation, 'maxFeePerGas'>,
  { postOpGas, exchangeRate, priceMarkup = NO_MARKUP, constantFee = 0n }: TokenPrice,
): bigint => {
  const wei = costWei + postOpGas * maxFeePerGas;
  return (wei * exchangeRate * BigInt(priceMarkup)) / (WEI_PER_COIN * BigInt(NO_MARKUP)) + constantFee;
};
