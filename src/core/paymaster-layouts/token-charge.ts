import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { TokenPrice } from './layout.ts';
import { NO_MARKUP, markupOf } from './price-markup.ts';

/** Wei of one native coin, to which an exchange rate applies. */
export const WEI_PER_COIN = 10n ** 18n;

export interface LeastCharge {
  readonly price: Pick<TokenPrice, 'exchangeRate' | 'constantFee'>;
  /** Gas that is charged for whatever the operation uses. */
  readonly gas: bigint;
  /** The lowest price at which it can be mined, wei. */
  readonly gasPrice: bigint;
}

/**
 * The least units that contracts charge for an operation, rounded down as they round. A markup can only increase it.
 */
export const leastUnits = ({ price, gas, gasPrice }: LeastCharge): bigint =>
  (gas * gasPrice * price.exchangeRate) / WEI_PER_COIN + (price.constantFee ?? 0n);

/**
 * The most units that contracts charge for an operation, rounded down as they round: (gas cost + postOpGas at the
 * operation's fee) * exchangeRate / 1e18, times priceMarkup / 1e6 or plus constantFee, if the contract has them.
 * @param costWei the most the operation costs
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
