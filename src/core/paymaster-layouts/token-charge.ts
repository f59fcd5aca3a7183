import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { TokenPrice } from './layout.ts';
import { NO_MARKUP, markupOf } from './price-markup.ts';

/** Wei per native coin. Exchange rates refer to this amount. */
export const WEI_PER_COIN = 10n ** 18n;

export interface LeastCharge {
  readonly price: Pick<TokenPrice, 'exchangeRate' | 'constantFee'>;
  /** The least gas that is charged, however little the operation uses. */
  readonly gas: bigint;
  /** The lowest gas price at which the operation can be mined, in wei. */
  readonly gasPrice: bigint;
}

/**
 * The least units that contracts charge for an operation, rounded down like theirs. Ignores markups, which can only
 * increase the charge.
 */
export const leastUnits = ({ price, gas, gasPrice }: LeastCharge): bigint =>
  (gas * gasPrice * price.exchangeRate) / WEI_PER_COIN + (price.constantFee ?? 0n);

/**
 * The most units that contracts charge for an operation, rounded down like theirs: (gas cost + postOpGas at the
 * operation's fee) * exchangeRate / 1e18, times priceMarkup / 1e6 or plus constantFee, if the contract has them.
 * @param costWei the most that the operation can cost
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
