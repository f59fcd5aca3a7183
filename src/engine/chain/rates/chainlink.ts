import { Interface, type Result } from 'ethers';
import { EngineError } from '../../../shared/errors.ts';
import { type CoinPriceSource, sanePrice } from '../../../shared/schema/coin-price.ts';
import { decimalToUnits, unitsToDecimal } from '../../../shared/schema/decimal.ts';
import { type FeeToken, MAX_EXCHANGE_RATE } from '../../../shared/schema/fee-token.ts';
import type { CoinPrice } from '../../../core/facts/facts.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { type RpcClient, RpcError, isUnreachable } from '../rpc.ts';
import type { RateOf, TokenRate } from './rate.ts';

/** Chainlink's AggregatorV3Interface, https://docs.chain.link/data-feeds/api-reference */
const abi = new Interface([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
]);

/** How far the chain's clock may be ahead of this machine's, in seconds. */
const CLOCK_SKEW_S = 300n;
/**
 * Feeds have 8 or 18 decimals. A contract with more decimals than this is not a feed, and computing large powers of ten
 * would take long.
 */
const MAX_DECIMALS = 36n;

/**
 * Number of decimals for token prices in US dollars, which is enough even for a millionth of a millionth of a dollar.
 */
const USD_DECIMALS = 12;
const USD = 10n ** BigInt(USD_DECIMALS);
const sanePrices = {
  'native/USD': {
    least: decimalToUnits(sanePrice.least, USD_DECIMALS),
    most: decimalToUnits(sanePrice.most, USD_DECIMALS),
    words: sanePrice.words,
  },
  'token/USD': { least: 1n, most: 10_000_000n * USD, words: '0.000000000001 and 10,000,000' },
} as const;
type FeedName = keyof typeof sanePrices;

/** Why a price is unreliable; undefined if it is reliable. */
const priceError = ({ price, decimals }: FeedPrice, name: FeedName): string | undefined => {
  const { least, most, words } = sanePrices[name];
  const one = 10n ** BigInt(decimals);
  if (price * USD >= least * one && price * USD <= most * one) return undefined;
  return `answers ${unitsToDecimal(price, decimals)} USD, which is not between ${words}`;
};

interface FeedPrice {
  /** USD times ten to the power of `decimals`; always positive. */
  readonly price: bigint;
  readonly decimals: number;
  /** Epoch seconds. */
  readonly updatedAt: number;
}

/** Why a feed's answer cannot be used. The message completes a sentence. */
class FeedError extends Error {}

const read = async ({ call }: RpcClient, feed: Address, method: string): Promise<Result> => {
  const answer = await call(feed, abi.encodeFunctionData(method) as Hex);
  try {
    return abi.decodeFunctionResult(method, answer);
  } catch (cause) {
    throw new FeedError(`is not a price feed: ${method} answers ${answer.slice(0, 100)}`, { cause });
  }
};

const time = (seconds: bigint): string => {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? `second ${seconds}` : date.toISOString();
};

interface Round {
  readonly roundId: bigint;
  readonly answer: bigint;
  readonly updatedAt: bigint;
  readonly answeredInRound: bigint;
}

/** Why a round is unreliable; undefined if it is reliable. */
const roundError = ({ roundId, answer, updatedAt, answeredInRound }: Round, maxAge: number, now: number) => {
  const seconds = BigInt(Math.floor(now / 1000));
  if (answer <= 0n) return `answers ${answer}, which is not a price`;
  if (answeredInRound < roundId) {
    return `repeats an old answer: round ${roundId} was answered in round ${answeredInRound}`;
  }
  if (updatedAt > seconds + CLOCK_SKEW_S) return `has an answer from the future: ${time(updatedAt)}`;
  if (updatedAt + BigInt(maxAge) < seconds) {
    return `last answered at ${time(updatedAt)}, more than ${maxAge} s ago`;
  }
  return undefined;
};

/** A feed's latest answer, if it is reliable. @throws FeedError */
const readFeed = async (
  rpc: RpcClient,
  name: FeedName,
  feed: Address,
  maxAge: number,
  now: number,
): Promise<FeedPrice> => {
  const [answered, [decimals]] = await Promise.all([
    read(rpc, feed, 'latestRoundData'),
    read(rpc, feed, 'decimals') as Promise<unknown> as Promise<[bigint]>,
  ]);
  const round = answered.toObject() as Round;
  if (decimals > MAX_DECIMALS) throw new FeedError(`has ${decimals} decimals, so it is not a price feed`);
  const price = { price: round.answer, decimals: Number(decimals), updatedAt: Number(round.updatedAt) };
  const error = roundError(round, maxAge, now) ?? priceError(price, name);
  if (error !== undefined) throw new FeedError(error);
  return price;
};

/**
 * Units of the token (its smallest) per native coin, rounded up so that the user never pays less than the price; 0 if
 * that is less than one unit.
 */
const exchangeRateOf = (native: FeedPrice, token: FeedPrice, tokenDecimals: number): bigint => {
  const numerator = native.price * 10n ** BigInt(token.decimals + tokenDecimals);
  const denominator = token.price * 10n ** BigInt(native.decimals);
  // Rounding up would give even a worthless coin a rate of one unit.
  return numerator < denominator ? 0n : (numerator + denominator - 1n) / denominator;
};

/**
 * The exchange rate according to two Chainlink feeds at the latest block: native coin in USD and token in USD.
 *
 * @param rpc the node of the token's chain; undefined if none is set
 * @param token the fee token
 * @param source its feeds
 * @param now epoch ms
 * @throws EngineError `CHAIN_UNREACHABLE`, which names the feed and its error; `PAYMASTER_NOT_READY` if the node
 * belongs to another chain
 */
export const chainlinkRate = async (
  rpc: RpcClient | undefined,
  token: FeeToken,
  source: RateOf<'chainlink'>,
  now: number,
): Promise<TokenRate> => {
  const { chainId, symbol, decimals, address } = token;
  const { nativeFeed, tokenFeed, maxAge } = source;
  const unusable = (detail: string, data: Record<string, unknown> = {}, cause?: unknown): EngineError =>
    new EngineError(
      'CHAIN_UNREACHABLE',
      `No usable rate for ${symbol}: ${detail}.`,
      { token: address, ...data },
      { cause },
    );
  if (rpc === undefined) {
    throw unusable(`chain ${chainId} has no RPC URL. Run "gasdesk chain set ${chainId} --rpc URL"`);
  }
  const priceOf = async (what: FeedName, feed: Address): Promise<FeedPrice> => {
    try {
      return await readFeed(rpc, what, feed, maxAge, now);
    } catch (error) {
      if (error instanceof FeedError) throw unusable(`the ${what} feed ${feed} ${error.message}`, { feed }, error);
      // The node's message is only in the cause, because it may contain the operator's key.
      if (error instanceof RpcError) throw unusable(`the ${what} feed ${feed} did not answer`, { feed }, error);
      if (isUnreachable(error)) throw unusable(error.message, { feed }, error);
      throw error;
    }
  };
  const [native, usd] = await Promise.all([priceOf('native/USD', nativeFeed), priceOf('token/USD', tokenFeed)]);
  const exchangeRate = exchangeRateOf(native, usd, decimals);
  if (exchangeRate === 0n) throw unusable('a native coin is worth less than the smallest unit of the token');
  if (exchangeRate > MAX_EXCHANGE_RATE) throw unusable('the token would be worth almost nothing');
  return { exchangeRate, usd: { price: usd.price, decimals: usd.decimals } };
};

/**
 * Why no price could be read, phrased as the end of a sentence. @throws any error that does not come from node, feed or
 * settings
 */
const unreadable = (error: unknown, feed: Address): string => {
  if (error instanceof FeedError) return `the native/USD feed ${feed} ${error.message}`;
  // The node's message is left out, because it may contain the operator's key.
  if (error instanceof RpcError) return `the native/USD feed ${feed} did not answer`;
  if (error instanceof EngineError) return `the native/USD feed ${feed} could not be asked (${error.code})`;
  throw error;
};

/**
 * The native coin's price according to its Chainlink feed, or why it is unknown.
 *
 * @param findRpc finds the chain's node; undefined if none is set
 * @param source the feed
 * @param now epoch ms
 */
export const coinPriceOf = async (
  findRpc: () => Promise<RpcClient | undefined>,
  source: Extract<CoinPriceSource, { source: 'chainlink' }>,
  now: number,
): Promise<CoinPrice> => {
  const { nativeFeed, maxAge } = source;
  try {
    const rpc = await findRpc();
    if (rpc === undefined) return { usd: null, error: 'the chain has no RPC URL, so its feed cannot be read' };
    const { price, decimals, updatedAt } = await readFeed(rpc, 'native/USD', nativeFeed, maxAge, now);
    return { usd: unitsToDecimal(price, decimals), source: 'feed', updatedAt };
  } catch (error) {
    return { usd: null, error: unreadable(error, nativeFeed) };
  }
};
