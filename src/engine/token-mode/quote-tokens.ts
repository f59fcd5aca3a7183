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
 * Gas by which an operation grows when the client, after the quote, puts an approval of the quoted amount into its
 * batch: a new allowance at a token behind a proxy, its calldata, and the batch around it. Without it every approval
 * would turn out too small.
 */
const APPROVAL_GAS = 80_000n;

/** A fee token and what it is worth just now. */
export interface PricedToken {
  readonly token: FeeToken;
  readonly rate: TokenRate;
}

/** The tokens that were asked for, in the order in which they were. */
export interface TokenPrices {
  readonly priced: readonly PricedToken[];
  /** Asked for, and not supported. */
  readonly unsupportedTokens: Address[];
}

/**
 * Finds what tokens are worth. A token without a usable rate is left out.
 *
 * @param supported the fee tokens of the chain
 * @param asked see `askedTokens`; empty: all
 * @throws EngineError `CHAIN_UNREACHABLE` with the fault of the first feed, if no token that was asked for has a rate;
 *   what `Rates.rateOf` throws besides
 */
export const priceTokens = async (
  rates: Pick<Rates, 'rateOf'>,
  supported: readonly FeeToken[],
  asked: readonly Address[],
): Promise<TokenPrices> => {
  const find = (wanted: Address): FeeToken | undefined => supported.find(({ address }) => sameAddress(address, wanted));
  const tokens = asked.length === 0 ? supported : asked.map(find).filter((token) => token !== undefined);
  const faults: EngineError[] = [];
  const prices = await Promise.all(
    tokens.map(async (token) => {
      try {
        return { token, rate: await rates.rateOf(token) };
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        faults.push(error);
        return undefined;
      }
    }),
  );
  const priced = prices.filter((found) => found !== undefined);
  const [fault] = faults;
  if (priced.length === 0 && fault !== undefined) throw fault;
  return { priced, unsupportedTokens: asked.filter((token) => find(token) === undefined) };
};

/**
 * What an operation would cost at most in a token (behaviour 7.3), with room for an approval in its batch.
 * The operation has gas and fees, the paymaster's own limits included where the EntryPoint has them; `validUntil` is in
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
