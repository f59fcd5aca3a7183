import { readPaymasterRequest } from '../dialects/erc-7677.ts';
import { paymasterFields } from '../dialects/paymaster-fields.ts';
import { refusal } from '../dialects/refusal.ts';
import type { RpcMethod } from '../method.ts';

/** ERC-7677: paymaster data to estimate gas with, `[user operation, EntryPoint, chain id, context?]`. */
export const pmGetPaymasterStubData: RpcMethod = {
  method: 'pm_getPaymasterStubData',
  async handle(params, context) {
    const { service, showReasons } = context;
    const { dapp, request } = await readPaymasterRequest(this.method, params, context);
    const { reason, ...promise } = await service.run('sponsorship.stub', request);
    if (reason !== undefined) throw refusal(reason, showReasons);
    return { ...paymasterFields(promise), sponsor: { name: dapp.name }, isFinal: false };
  },
};
