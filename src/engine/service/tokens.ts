import { unitsToDecimal } from '../../shared/schema/decimal.ts';
import { EngineError } from '../../shared/errors.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import { type RpcClient, RpcError } from '../chain/rpc.ts';
import { readToken } from '../token-mode/erc20.ts';
import { requireChain } from './chains.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** If decimals are off by one, prices are off by a factor of ten. @throws EngineError `FEE_TOKEN_MISMATCH` */
const checkDecimals = async (rpc: RpcClient, { address, decimals, symbol }: FeeToken): Promise<string[]> => {
  const answer = await readToken(rpc, address, 'decimals');
  if (!('value' in answer)) {
    if (answer.returned === undefined)
      return [`The contract does not return its decimals. Make sure that they are ${decimals}.`];
    throw new EngineError('FEE_TOKEN_MISMATCH', `${address} is not a token contract on this chain.`, { address });
  }
  const actual = Number(answer.value);
  if (actual === decimals) return [];
  const message = `The contract of ${symbol} has ${actual} decimals, not ${decimals}. Use --decimals ${actual}.`;
  throw new EngineError('FEE_TOKEN_MISMATCH', message, { given: decimals, contract: actual });
};

const checkSymbol = async (rpc: RpcClient, { address, symbol }: FeeToken): Promise<string[]> => {
  const answer = await readToken(rpc, address, 'symbol');
  // Some old tokens return the symbol as 32 bytes instead of text. Nothing depends on the symbol.
  if (!('value' in answer) || answer.value === symbol) return [];
  return [`The symbol in the contract is ${String(answer.value).slice(0, 100)}.`];
};

/** What the operator must do outside of Gasdesk to enable a prefund. */
const PREFUND_NOTE =
  'A singleton takes a prefund and returns the rest from the treasury: approve it there, on the token, for each singleton.';

/** Procedures for the tokens in which users may pay for gas. */
export const tokenHandlers = (context: ServiceContext): Handlers<NamesOf<'feeTokens'>> => {
  const { store, chains, rates } = context;

  /**
   * Returns the error as a note instead of throwing it, so that an unreachable chain does not prevent the procedure.
   */
  const orReason = async (check: () => Promise<string[]>): Promise<string[]> => {
    try {
      return await check();
    } catch (error) {
      if (error instanceof RpcError) return ['The node answered with an error.'];
      if (!(error instanceof EngineError) || error.code === 'FEE_TOKEN_MISMATCH') throw error;
      return [error.message];
    }
  };

  const checkContract = async (token: FeeToken): Promise<string[]> => {
    const rpc = await chains.rpc(token.chainId);
    if (rpc === undefined) return [`Not checked against its contract: chain ${token.chainId} has no RPC URL.`];
    return [...(await checkDecimals(rpc, token)), ...(await checkSymbol(rpc, token))];
  };

  const describeRate = async (token: FeeToken): Promise<string[]> => {
    const { exchangeRate } = await rates.rateOf(token);
    return [`One native coin is worth ${unitsToDecimal(exchangeRate, token.decimals)} ${token.symbol}.`];
  };

  return {
    'feeTokens.set': async (token) => {
      await requireChain(context, token.chainId);
      rates.forget();
      const checks = [...(await orReason(() => checkContract(token))), ...(await orReason(() => describeRate(token)))];
      const notes = token.preFund ? [...checks, PREFUND_NOTE] : checks;
      await store.saveFeeToken(token);
      return { ...token, note: notes.join(' ') };
    },
    'feeTokens.list': ({ chainId }) => store.listFeeTokens(chainId),
    'feeTokens.rate': async (token) => {
      try {
        const { exchangeRate } = await rates.rateOf(token);
        return { tokensPerCoin: unitsToDecimal(exchangeRate, token.decimals), error: null };
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        return { tokensPerCoin: null, error: error.message };
      }
    },
    'feeTokens.remove': async ({ chainId, address }) => {
      if (!(await store.removeFeeToken(chainId, address))) throw new EngineError('FEE_TOKEN_NOT_FOUND');
      rates.forget();
      return null;
    },
  };
};
