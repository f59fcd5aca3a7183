import { unitsToDecimal } from '../../shared/schema/decimal.ts';
import { EngineError } from '../../shared/errors.ts';
import type { FeeQuote, FeeToken } from '../../shared/schema/fee-token.ts';
import { type Address, sameAddress } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { TokenRate } from '../chain/rates/rate.ts';
import type { Rates } from '../chain/rates/rates.ts';
import { clientNumber } from './amounts.ts';
import type { TokenContract } from './token-contract.ts';
import { tokenTerms } from './token-terms.ts';

/**
 * Gas by which an operation grows when the client, after the quote, puts an approval of the quoted amount into its
 * batch: a new allowance at a token behind a proxy, its calldata, and the batch around it. Without it every approval
 * would turn out too small.
 */
const APPROVAL_GAS = 80_000n;

/** A request for quotes. */
export interface QuoteRequest {
  readonly contract: TokenContract;
  /** With its gas and fees, the paymaster's own two gas limits included where the EntryPoint has them. */
  readonly op: UserOperation;
  /** The fee tokens of the chain. */
  readonly supported: readonly FeeToken[];
  /** See `askedTokens`; empty: all. */
  readonly asked: readonly Address[];
  /** Unix seconds. */
  readonly validUntil: number;
}

/** Quotes in the order in which they were asked for. */
export interface TokenQuotes {
  readonly feeQuotes: FeeQuote[];
  /** Asked for, and not supported. */
  readonly unsupportedTokens: Address[];
  /** Supported, but without a usable rate just now. */
  readonly unpriced: { readonly token: Address; readonly message: string }[];
}

const quote = (token: FeeToken, rate: TokenRate, { contract, op, validUntil }: QuoteRequest): FeeQuote => {
  const withApproval = { ...op, callGasLimit: op.callGasLimit + APPROVAL_GAS };
  const { maxUnits } = tokenTerms({ contract, op: withApproval, token, rate });
  const { symbol, decimals, address, premium, logoUrl } = token;
  const { usd } = rate;
  return {
    symbol,
    decimal: decimals,
    tokenAddress: address,
    maxGasFee: clientNumber(maxUnits, decimals),
    ...(usd && { maxGasFeeUSD: Number(unitsToDecimal(maxUnits * usd.price, decimals + usd.decimals)) }),
    exchangeRate: String(rate.exchangeRate),
    premiumPercentage: premium,
    validUntil,
    ...(logoUrl !== null && { logoUrl }),
  };
};

/**
 * What an operation would cost at most in each token (SPEC 6). A token without a usable rate is left out.
 *
 * @throws EngineError `CHAIN_UNREACHABLE` with the fault of the first feed, if no token that was asked for has a rate;
 *   what `Rates.rateOf` throws besides
 */
export const quoteTokens = async (rates: Rates, request: QuoteRequest): Promise<TokenQuotes> => {
  const { supported, asked } = request;
  const find = (wanted: Address): FeeToken | undefined => supported.find(({ address }) => sameAddress(address, wanted));
  const tokens = asked.length === 0 ? supported : asked.map(find).filter((token) => token !== undefined);
  const faults: { token: Address; message: string; error: EngineError }[] = [];
  const quotes = await Promise.all(
    tokens.map(async (token) => {
      try {
        return quote(token, await rates.rateOf(token), request);
      } catch (error) {
        if (!(error instanceof EngineError && error.code === 'CHAIN_UNREACHABLE')) throw error;
        faults.push({ token: token.address, message: error.message, error });
        return undefined;
      }
    }),
  );
  const feeQuotes = quotes.filter((found) => found !== undefined);
  const [fault] = faults;
  if (feeQuotes.length === 0 && fault !== undefined) throw fault.error;
  return {
    feeQuotes,
    unsupportedTokens: asked.filter((token) => find(token) === undefined),
    unpriced: faults.map(({ token, message }) => ({ token, message })),
  };
};
