import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { TokenPrice } from './layout.ts';
import { NO_MARKUP, markupOf } from './price-markup.ts';

/** Wei per native coin. Exchange rates refer to this amount. */
export const WEI_PER_COIN = 10n ** 18n;

export interface LeastCharge {
  readonly price: Pick<TokenPrice, 'exchangeRate' | 'constantFee'>;
  /** The least gas that is charged, even if the operation uses less. */
  readonly gas: bigint;
  /** The lowest gas price at which the operation can be mined, in wei. */
  readonly gasPrice: bigint;
}

/**
 * The minimum number of units that contracts charge for an operation, rounded down as the contracts round. Ignores
 * markups, which can only increase the charge.
 */
export const leastUnits = ({ price, gas, gasPrice }: LeastCharge): bigint =>
  (gas * gasPrice * price.exchangeRate) / WEI_PER_COIN + (price.constantFee ?? 0n);

/**
 * The maximum number of units that contracts charge for an operation, rounded down as the contracts round: (gas cost +
 * postOpGas at the operation's fee) * exchangeRate / 1e18, times priceMarkup / 1e6 or plus constantFee, if the contract
 * has them.
 * @param costWei the maximum cost of the operation
 */
export const mostUnits = (
  costWei: bigint,
  { maxFeePerGas }: Pick<UserOperation, 'maxFeePerGas'>,
  price: TokenPrice,
): bigint => {
  const { postOpGas, exchangeRate, constantFee = 0n } = price;
  const wei = costWei + postOpGas * maxFeePerGas;
  return (wei * exchangeRate * BigInt(markupOf(price))) / (WEI_PER_COIN * BigInt(NO_MARKUP)) + constantFee;
};
