import { parse } from '../../../shared/schema/parse.ts';
import { type SponsorshipOptions, paymasterContext } from '../../../shared/schema/sponsorship.ts';
import type { MethodContext } from '../method.ts';
import { type Dapp, atMost, checkChainId, checkEntryPoint, dappOf } from '../params.ts';

/** What both methods of ERC-7677 carry besides the operation. */
export interface PaymasterRequest {
  readonly dapp: Dapp;
  readonly options: SponsorshipOptions;
}

/**
 * Reads `[user operation, EntryPoint, chain id, context?]` but for the operation.
 *
 * @throws EngineError `UNKNOWN_API_KEY`, `ENTRY_POINT_MISMATCH`, `CHAIN_MISMATCH` or `VALIDATION`
 */
export const readPaymasterRequest = async (
  params: readonly unknown[],
  context: MethodContext,
): Promise<PaymasterRequest> => {
  atMost(params, 4);
  const dapp = await dappOf(context);
  checkEntryPoint(params[1], 'params[1]', dapp);
  checkChainId(params[2], 'params[2]', context.chainId);
  // What is signed is what the wallet has estimated: here nobody could be told of other gas values.
  return { dapp, options: { ...parse(paymasterContext, params[3], 'params[3]'), calculateGasLimits: false } };
};
