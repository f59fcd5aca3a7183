import { z } from 'zod';
import { EngineError, type ErrorCode } from '../../../shared/errors.ts';
import { feeQuote } from '../../../shared/schema/fee-token.ts';
import { address } from '../../../shared/schema/hex.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { feeQuoteOptions } from '../../../shared/schema/sponsorship.ts';
import { signingErrors, userOperationParam } from '../common-params.ts';
import { biconomySponsorship, decideBiconomy, readBiconomyRequest } from '../dialects/biconomy.ts';
import { quoteFeeTokens } from '../dialects/quote-fee-tokens.ts';
import { exampleOperationV06 } from '../examples.ts';
import type { RpcMethod } from '../method.ts';

/**
 * With these errors of the quotes (tokens are not accepted, or nothing can be signed), the answer is the denial of the
 * sponsorship.
 */
const WITHOUT_QUOTES: readonly ErrorCode[] = ['PAYMASTER_NOT_READY', 'NOT_SPONSORED'];

const feeQuotes = z.strictObject({
  MODE: z.literal('ERC20'),
  mode: z.literal('ERC20'),
  paymasterAddress: address.describe('The contract that the account approves'),
  feeQuotes: z.array(feeQuote),
  unsupportedTokens: z.array(address).describe('Requested, but not supported'),
});

/**
 * Biconomy's dialect: `[partial user operation, options]`. In mode SPONSORED it answers like `pm_sponsorUserOperation`,
 * in mode ERC20 with token quotes. Without a mode, it sponsors the operation if the rules allow it, and otherwise
 * answers with quotes if the DApp accepts tokens.
 */
export const pmGetFeeQuoteOrData: RpcMethod = {
  method: 'pm_getFeeQuoteOrData',
  summary: 'Sponsor the operation, or quote its cost in tokens',
  params: [
    userOperationParam,
    {
      name: 'options',
      summary: "Biconomy's options. Without `mode`: sponsorship if the rules allow it, or else quotes",
      schema: feeQuoteOptions,
    },
  ],
  result: z.union([biconomySponsorship, feeQuotes]),
  example: {
    params: [exampleOperationV06, { mode: 'ERC20', tokenInfo: { tokenList: [] }, calculateGasLimits: false }],
    result: {
      MODE: 'ERC20',
      mode: 'ERC20',
      paymasterAddress: '0x9d1f9f6A3C0B0dA29DCd7A0Ff8a2Cd8fFbAe1B6d',
      feeQuotes: [
        {
          symbol: 'USDC',
          decimal: 6,
          tokenAddress: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
          maxGasFee: 0.84,
          maxUnits: '840000',
          exchangeRate: '3000500000',
          premiumPercentage: '13',
          validUntil: 1795342800,
        },
      ],
      unsupportedTokens: [],
    },
  },
  errors: signingErrors,
  async handle(params, context) {
    const request = await readBiconomyRequest(this.method, params, context, (value) =>
      parse(feeQuoteOptions, value, 'params[1]'),
    );
    const { mode, ...options } = request.options;
    const quote = async (): Promise<unknown> => ({
      MODE: 'ERC20',
      mode: 'ERC20',
      ...(await quoteFeeTokens(request, context)),
    });
    if (mode === 'ERC20') return quote();
    const sponsored = { ...request, options: { ...options, mode: mode ?? 'SPONSORED' } };
    const { sponsored: isSponsored, result } = await decideBiconomy(sponsored, context);
    if (mode !== undefined || isSponsored) return result;
    return quote().catch((error: unknown) => {
      if (error instanceof EngineError && WITHOUT_QUOTES.includes(error.code)) return result;
      throw error;
    });
  },
};
