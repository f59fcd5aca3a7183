import type { RpcMethod } from '../method.ts';
import { atMost, checkChainId, dappOf } from '../params.ts';

/** The EntryPoint on which the DApp is sponsored, as a list; some clients send the chain id along. */
export const pmSupportedEntryPoints: RpcMethod = {
  method: 'pm_supportedEntryPoints',
  async handle(params, context) {
    atMost(params, 1);
    if (params[0] !== undefined) checkChainId(params[0], 'params[0]', context.chainId);
    const { entryPoint } = await dappOf(context);
    return [entryPoint];
  },
};
