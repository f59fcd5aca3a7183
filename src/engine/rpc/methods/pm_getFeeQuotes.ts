import { z } from 'zod';
import { feeQuote } from '../../../shared/schema/fee-token.ts';
import { address } from '../../../shared/schema/hex.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { hexQuantity } from '../../../shared/schema/quantity.ts';
import { feeQuoteOptions } from '../../../shared/schema/sponsorship.ts';
import { chainIdParam, contextParam, entryPointParam, signingErrors, userOperationParam } from '../common-params.ts';
import { hexOf } from '../dialects/paymaster-fields.ts';
import { quoteFeeTokens } from '../dialects/quote-fee-tokens.ts';
import { exampleEntryPoint, exampleOperationV07, examplePaymasterFields } from '../examples.ts';
import type { RpcMethod } from '../method.ts';
import { checkChainId, checkEntryPoint, dappOf, readUserOperation } from '../params.ts';
import { reading } from '../reading.ts';

/** Startale's: `[user operation, EntryPoint, chain id, context?]`, answered like Biconomy's `pm_getFeeQuoteOrData`. */
export const pmGetFeeQuotes: RpcMethod = {
  method: 'pm_getFeeQuotes',
  summary: 'Quote the cost of the operation in tokens',
  params: [userOperationParam, entryPointParam, chainIdParam, contextParam],
  result: z.strictObject({
    paymasterAddress: address.describe('The contract that the account approves'),
    feeQuotes: z.array(feeQuote.extend({ requiredAmount: hexQuantity.describe('The same as `maxUnits`') })),
    unsupportedTokens: z.array(address).describe('Requested, but not supported'),
  }),
  example: {
    params: [exampleOperationV07, exampleEntryPoint, '0xaa36a7', { calculateGasLimits: true }],
    result: {
      paymasterAddress: examplePaymasterFields.paymaster,
      feeQuotes: [
        {
          symbol: 'USDC',
          decimal: 6,
          tokenAddress: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
          maxGasFee: 0.84,
          maxUnits: '840000',
          requiredAmount: '0xcd140',
          exchangeRate: '3000500000',
          premiumPercentage: '13',
          validUntil: 1795342800,
        },
      ],
      unsupportedTokens: [],
    },
  },
  errors: [...signingErrors, 'ENTRY_POINT_MISMATCH', 'CHAIN_MISMATCH'],
  async handle(params, context) {
    const { method } = this;
    const request = await reading(method, params, context, async () => {
      const { chainId, apiKey } = context;
      checkEntryPoint(params[1], 'params[1]', await dappOf(context));
      checkChainId(params[2], 'params[2]', chainId);
      const userOperation = readUserOperation(params[0]);
      const options = parse(feeQuoteOptions, params[3] ?? {}, 'params[3]');
      return {
        chainId,
        apiKey,
        method,
        userOperation,
        options: { ...options, mode: 'ERC20' as const },
        received: params,
      };
    });
    const { feeQuotes, ...quoted } = await quoteFeeTokens(request, context);
    return { ...quoted, feeQuotes: feeQuotes.map((one) => ({ ...one, requiredAmount: hexOf(one.maxUnits) })) };
  },
};
