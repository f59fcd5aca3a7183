import type { ProcedureArguments } from '../../../api/index.ts';
import type { Soon } from '../../base/soon.ts';
import { parse } from '../../../shared/schema/parse.ts';
import type { PartialUserOperation } from '../../../shared/schema/partial-user-operation.ts';
import { paymasterContext } from '../../../shared/schema/sponsorship.ts';
import type { MethodContext } from '../method.ts';
import { type Dapp, checkChainId, checkEntryPoint, dappOf, readUserOperation } from '../params.ts';
import { reading } from '../reading.ts';

export interface PaymasterRequest {
  readonly dapp: Dapp;
  readonly request: ProcedureArguments<'sponsorship.sponsor'>;
}

/** True if the client wants Gasdesk to estimate one of the account's gas limits. */
export const isGasOpen = (op: PartialUserOperation): boolean => {
  const isPacked = op.accountGasLimits !== undefined;
  return !op.preVerificationGas || !(isPacked || (op.callGasLimit && op.verificationGasLimit));
};

/** True if the client knows none of the account's gas limits. A signature for limits of zero would be useless. */
const isGasUnknown = (op: PartialUserOperation): boolean =>
  op.accountGasLimits === undefined && !op.preVerificationGas && !op.callGasLimit && !op.verificationGasLimit;

/**
 * Reads `[user operation, EntryPoint, chain id, context?]`. If the request is refused, stores the refusal.
 *
 * @throws EngineError `UNKNOWN_API_KEY`, `ENTRY_POINT_MISMATCH`, `CHAIN_MISMATCH` or `VALIDATION`
 */
export const readPaymasterRequest = (
  method: string,
  params: readonly unknown[],
  context: MethodContext,
): Soon<PaymasterRequest> =>
  reading(method, params, context, async () => {
    const { chainId, apiKey } = context;
    const dapp = await dappOf(context);
    checkEntryPoint(params[1], 'params[1]', dapp);
    checkChainId(params[2], 'params[2]', chainId);
    const requested = parse(paymasterContext, params[3], 'params[3]');
    const userOperation = readUserOperation(params[0]);
    // If the wallet has estimated gas, sign that: it does not expect other gas in the answer.
    const isWanted = isGasUnknown(userOperation) || (requested.calculateGasLimits && isGasOpen(userOperation));
    const calculateGasLimits = isWanted && requested.signingPhase !== 'finalize';
    const options = { ...requested, calculateGasLimits };
    return { dapp, request: { chainId, apiKey, method, userOperation, options, received: params } };
  });
