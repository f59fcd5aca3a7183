import { z } from 'zod';
import { address, hex } from '../../../shared/schema/hex.ts';
import { hexQuantity } from '../../../shared/schema/quantity.ts';
import { entryPointParam, feeTokenErrors } from '../common-params.ts';
import { hexOf, paymasterFields, paymasterFieldsV07 } from '../dialects/paymaster-fields.ts';
import { exampleEntryPoint, examplePaymasterFields } from '../examples.ts';
import type { RpcMethod } from '../method.ts';
import { checkEntryPoint, dappOf } from '../params.ts';

/** The tokens in which users can pay, in the format of Candide's paymaster. The params are `[EntryPoint?]`. */
export const pmSupportedERC20Tokens: RpcMethod = {
  method: 'pm_supportedERC20Tokens',
  summary: 'The tokens that users can pay in, and their rates',
  params: [{ ...entryPointParam, optional: true }],
  result: z.strictObject({
    paymasterMetadata: z.strictObject({
      name: z.string(),
      description: z.string(),
      icons: z.array(z.string()),
      address,
      sponsoredEventTopic: z.string().describe('Empty: no event reports a sponsorship'),
      dummyPaymasterAndData: z
        .union([hex, paymasterFieldsV07])
        .optional()
        .describe('For gas estimation: hex on EntryPoint v0.6, fields of the operation from v0.7 on'),
    }),
    tokens: z.array(
      z.strictObject({
        address,
        name: z.string(),
        symbol: z.string(),
        decimals: z.number(),
        decimal: z.number().describe('The same, for abstractionkit 0.1'),
        fee: hexQuantity.describe('For abstractionkit 0.1: always 0, because the rate has the premium'),
        exchangeRate: hexQuantity.describe('Smallest units of the token for 1e18 wei, premium included'),
      }),
    ),
  }),
  example: {
    params: [exampleEntryPoint],
    result: {
      paymasterMetadata: {
        name: 'Game',
        description: '',
        icons: [],
        address: examplePaymasterFields.paymaster,
        sponsoredEventTopic: '',
        dummyPaymasterAndData: examplePaymasterFields,
      },
      tokens: [
        {
          address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
          name: 'USDC',
          symbol: 'USDC',
          decimals: 6,
          decimal: 6,
          fee: '0x0',
          exchangeRate: '0xb2d05e00',
        },
      ],
    },
  },
  errors: feeTokenErrors,
  async handle(params, context) {
    const dapp = await dappOf(context);
    if (params[0] !== undefined && params[0] !== null) checkEntryPoint(params[0], 'params[0]', dapp);
    const { service, chainId, apiKey } = context;
    const { paymasterAddress, dummy, tokens } = await service.run('sponsorship.feeTokens', { chainId, apiKey });
    return {
      paymasterMetadata: {
        name: dapp.name,
        description: '',
        icons: [],
        address: paymasterAddress,
        sponsoredEventTopic: '',
        ...(dummy && { dummyPaymasterAndData: dummy.fields ? paymasterFields(dummy) : dummy.paymasterAndData }),
      },
      tokens: tokens.map(({ address: named, symbol, decimals, exchangeRate }) => ({
        address: named,
        name: symbol,
        symbol,
        decimals,
        decimal: decimals,
        fee: '0x0',
        exchangeRate: hexOf(exchangeRate),
      })),
    };
  },
};
