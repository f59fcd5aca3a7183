import { readPaymasterRequest } from '../dialects/erc-7677.ts';
import { paymasterFields } from '../dialects/paymaster-fields.ts';
import { refusal } from '../dialects/refusal.ts';
import type { RpcMethod } from '../method.ts';
import { readUserOperation } from '../params.ts';

/** ERC-7677: paymaster data to estimate gas with, `[user operation, EntryPoint, chain id, context?]`. */
export const pmGetPaymasterStubData: RpcMethod = {
  method: 'pm_getPaymasterStubData',
  async handle(params, context) {
    const { service, chainId, apiKey, showReasons } = context;
    const { dapp, options } = await readPaymasterRequest(params, context);
    const { reason, ...promise } = await service.run('sponsorship.stub', {
      chainId,
      apiKey,
      method: this.method,
      userOperation: readUserOperation(params[0]),
      options,
      received: params,
    });
    if (reason !== undefined) throw refusal(reason, showReasons);
    return { ...paymasterFields(promise), sponsor: { name: dapp.name }, isFinal: false };
  },
};
