import { gasLimits } from '../../../shared/schema/user-operation.ts';
import { readPaymasterRequest } from '../dialects/erc-7677.ts';
import { paymasterFields } from '../dialects/paymaster-fields.ts';
import { refusal } from '../dialects/refusal.ts';
import type { RpcMethod } from '../method.ts';
import { readUserOperation } from '../params.ts';

/** viem sends a gas limit of zero for one that nobody has told it. */
const withoutZeroGas = (op: unknown): unknown => {
  if (typeof op !== 'object' || op === null) return op;
  return Object.fromEntries(
    Object.entries(op).filter(([key, value]) => !(value === '0x0' && gasLimits.some((field) => field === key))),
  );
};

/** ERC-7677: paymaster data for sending, over final gas, `[user operation, EntryPoint, chain id, context?]`. */
export const pmGetPaymasterData: RpcMethod = {
  method: 'pm_getPaymasterData',
  async handle(params, context) {
    const { service, chainId, apiKey, showReasons } = context;
    const { options } = await readPaymasterRequest(params, context);
    const answer = await service.run('sponsorship.sponsor', {
      chainId,
      apiKey,
      method: this.method,
      userOperation: readUserOperation(withoutZeroGas(params[0])),
      options,
      received: params,
    });
    if (answer.reason !== undefined) throw refusal(answer.reason, showReasons);
    return paymasterFields(answer);
  },
};
