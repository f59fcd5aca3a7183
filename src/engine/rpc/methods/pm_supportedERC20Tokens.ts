import { hexOf } from '../dialects/paymaster-fields.ts';
import type { RpcMethod } from '../method.ts';
import { atMost, checkEntryPoint, dappOf } from '../params.ts';

/** The tokens in which users may pay, `[EntryPoint?]`, in the shape that Candide's paymaster gave this method. */
export const pmSupportedERC20Tokens: RpcMethod = {
  method: 'pm_supportedERC20Tokens',
  async handle(params, context) {
    atMost(params, 1);
    const dapp = await dappOf(context);
    if (params[0] !== undefined) checkEntryPoint(params[0], 'params[0]', dapp);
    const { service, chainId, apiKey } = context;
    const { paymasterAddress, tokens } = await service.run('sponsorship.feeTokens', { chainId, apiKey });
    return {
      paymasterMetadata: { name: dapp.name, address: paymasterAddress },
      tokens: tokens.map((token) => ({ ...token, exchangeRate: hexOf(token.exchangeRate) })),
    };
  },
};
