import { unitsToDecimal } from '../../shared/schema/decimal.ts';
import type { EngineError } from '../../shared/errors.ts';
import type { FeeQuote, FeeToken } from '../../shared/schema/fee-token.ts';
import { type Address, sameAddress } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { TokenRate } from '../chain/rates/rate.ts';
import type { Rates } from '../chain/rates/rates.ts';
import { isUnreachable } from '../chain/rpc.ts';
import { clientNumber } from '../../core/token-mode/amounts.ts';
import type { ReadyPaymentTerms } from './ready-payment-terms.ts';

/**
 * Gas for an approval of the quoted amount, which clients add to the batch after the quote: a new allowance of a token
 * behind a proxy, its calldata, and the batch itself. Without this gas, every approval would be too small.
 */
const APPROVAL_GAS = 80_000n;

export interface PricedToken {
  readonly token: FeeToken;
  readonly rate: TokenRate;
}

/** Prices in the requested order. */
export interface TokenPrices {
  readonly priced: readonly PricedToken[];
  /** Requested tokens that are not supported. */
  readonly unsupportedTokens: Address[];
}

/**
 * Leaves out tokens without a usable rate.
 *
 * @param supported the fee tokens of the chain
 * @param requested addresses of tokens, as returned by `requestedTokens`; empty means all
 * @throws EngineError `CHAIN_UNREACHABLE` with the error of the first feed, if no requested token has a rate; whatever
 * `Rates.rateOf` throws
 */
export const priceTokens = async (
  rates: Pick<Rates, 'rateOf'>,
  supported: readonly FeeToken[],
  requested: readonly Address[],
): Promise<TokenPrices> => {
  const find = (wanted: Address): FeeToken | undefined => supported.find(({ address }) => sameAddress(address, wanted));
  const tokens = requested.length === 0 ? supported : requested.map(find).filter((token) => token !== undefined);
  const errors: EngineError[] = [];
  const prices = await Promise.all(
    tokens.map(async (token) => {
      try {
        return { token, rate: await rates.rateOf(token) };
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        errors.push(error);
        return undefined;
      }
    }),
  );
  const priced = prices.filter((found) => found !== undefined);
  const [error] = errors;
  if (priced.length === 0 && error !== undefined) throw error;
  return { priced, unsupportedTokens: requested.filter((token) => find(token) === undefined) };
};

/**
 * The maximum cost of an operation in a token (behaviour 7.3), including the gas of an approval in its batch. The
 * operation must contain gas and fees, including the paymaster's limits if its EntryPoint has them; `validUntil` is in
 * unix seconds.
 */
export const quotePayment = (
  { token, maxUnits }: ReadyPaymentTerms,
  { exchangeRate, usd }: TokenRate,
  op: UserOperation,
  validUntil: number,
): FeeQuote => {
  const { symbol, decimals, address, premium, logoUrl } = token;
  const units = maxUnits({ ...op, callGasLimit: op.callGasLimit + APPROVAL_GAS });
  return {
    symbol,
    decimal: decimals,
    tokenAddress: address,
    maxGasFee: clientNumber(units, decimals),
    maxUnits: String(units),
    ...(usd && { maxGasFeeUSD: Number(unitsToDecimal(units * usd.price, decimals + usd.decimals)) }),
    exchangeRate: String(exchangeRate),
    premiumPercentage: premium,
    validUntil,
    ...(logoUrl !== null && { logoUrl }),
  };
};
