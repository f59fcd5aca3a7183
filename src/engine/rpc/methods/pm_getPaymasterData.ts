import { readPaymasterRequest } from '../dialects/erc-7677.ts';
import { paymasterFields } from '../dialects/paymaster-fields.ts';
import { refusal } from '../dialects/refusal.ts';
import type { RpcMethod } from '../method.ts';

/** ERC-7677: paymaster data for sending, over final gas, `[user operation, EntryPoint, chain id, context?]`. */
export const pmGetPaymasterData: RpcMethod = {
  method: 'pm_getPaymasterData',
  async handle(params, context) {
    const { service, showReasons } = context;
    const { request } = await readPaymasterRequest(this.method, params, context);
    const answer = await service.run('sponsorship.sponsor', request);
    if (answer.reason !== undefined) throw refusal(answer.reason, showReasons);
    return paymasterFields(answer);
  },
};
