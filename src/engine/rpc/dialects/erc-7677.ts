import type { ProcedureArguments } from '../../../shared/contract/index.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { paymasterContext } from '../../../shared/schema/sponsorship.ts';
import type { MethodContext } from '../method.ts';
import { type Dapp, atMost, checkChainId, checkEntryPoint, dappOf, readUserOperation } from '../params.ts';
import { reading } from '../reading.ts';

/** What both methods of ERC-7677 are asked, and by whom. */
export interface PaymasterRequest {
  readonly dapp: Dapp;
  readonly request: ProcedureArguments<'sponsorship.sponsor'>;
}

/**
 * Reads `[user operation, EntryPoint, chain id, context?]`. A refusal is stored.
 *
 * @throws EngineError `UNKNOWN_API_KEY`, `ENTRY_POINT_MISMATCH`, `CHAIN_MISMATCH` or `VALIDATION`
 */
export const readPaymasterRequest = (
  method: string,
  params: readonly unknown[],
  context: MethodContext,
): Promise<PaymasterRequest> =>
  reading(method, params, context, async () => {
    const { chainId, apiKey } = context;
    atMost(params, 4);
    const dapp = await dappOf(context);
    checkEntryPoint(params[1], 'params[1]', dapp);
    checkChainId(params[2], 'params[2]', chainId);
    // What is signed is what the wallet has estimated: here nobody could be told of other gas values.
    const options = { ...parse(paymasterContext, params[3], 'params[3]'), calculateGasLimits: false };
    const userOperation = readUserOperation(params[0]);
    return { dapp, request: { chainId, apiKey, method, userOperation, options, received: params } };
  });
