import { z } from 'zod';
import { address, addressKey } from '../../../shared/schema/hex.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { hexQuantity } from '../../../shared/schema/quantity.ts';
import { chainIdParam, entryPointParam, feeTokenErrors } from '../common-params.ts';
import { hexOf } from '../dialects/paymaster-fields.ts';
import { refusal } from '../dialects/refusal.ts';
import { exampleEntryPoint, examplePaymasterFields } from '../examples.ts';
import type { RpcMethod } from '../method.ts';
import { checkChainId, checkEntryPoint, dappOf } from '../params.ts';

const schema = z.object({ tokens: z.array(address).max(100) });
const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

/**
 * Pimlico's method, with the params `[{tokens}, EntryPoint, chain id]`. Clients approve (all gas limits + postOpGas) *
 * maxFeePerGas * exchangeRate / 1e18 units, which is enough. Omits tokens that are not accepted. If none remains, the
 * error says why.
 */
export const pimlicoGetTokenQuotes: RpcMethod = {
  method: 'pimlico_getTokenQuotes',
  summary: 'Exchange rates of tokens, for clients that compute the cost of an operation themselves',
  params: [{ name: 'asked', summary: 'The addresses of the tokens', schema }, entryPointParam, chainIdParam],
  result: z.strictObject({
    quotes: z.array(
      z.strictObject({
        paymaster: address,
        token: address,
        postOpGas: hexQuantity.describe("Gas to add to the operation's own"),
        exchangeRate: hexQuantity.describe('Smallest units of the token for 1e18 wei, premium included'),
        exchangeRateNativeToUsd: hexQuantity.describe('Millionths of a USD for 1e18 wei; 0 if unknown'),
      }),
    ),
  }),
  example: {
    params: [{ tokens: [token] }, exampleEntryPoint, '0xaa36a7'],
    result: {
      quotes: [
        {
          paymaster: examplePaymasterFields.paymaster,
          token,
          postOpGas: '0xafc8',
          exchangeRate: '0xb2d05e00',
          exchangeRateNativeToUsd: '0xb2d05e00',
        },
      ],
    },
  },
  errors: [...feeTokenErrors, 'CHAIN_MISMATCH', 'NOT_SPONSORED'],
  async handle(params, context) {
    const { service, chainId, apiKey, showReasons } = context;
    const requested = new Set(parse(schema, params[0], 'params[0]').tokens.map(addressKey));
    checkEntryPoint(params[1], 'params[1]', await dappOf(context));
    checkChainId(params[2], 'params[2]', chainId);
    const { paymasterAddress, tokens, reason } = await service.run('sponsorship.feeTokens', { chainId, apiKey });
    if (reason !== undefined) throw refusal(reason, showReasons);
    const quotes = tokens
      .filter((one) => requested.has(addressKey(one.address as `0x${string}`)))
      .map(({ address: named, postOpGas, exchangeRate, nativeToUsd }) => ({
        paymaster: paymasterAddress,
        token: named,
        postOpGas: hexOf(postOpGas),
        exchangeRate: hexOf(exchangeRate),
        exchangeRateNativeToUsd: hexOf(nativeToUsd),
      }));
    return { quotes };
  },
};
