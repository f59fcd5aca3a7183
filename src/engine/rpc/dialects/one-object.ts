import { z } from 'zod';
import type { ProcedureArguments } from '../../../api/index.ts';
import { address } from '../../../shared/schema/hex.ts';
import type { Soon } from '../../base/soon.ts';
import { parse } from '../../../shared/schema/parse.ts';
import type { PartialUserOperation } from '../../../shared/schema/partial-user-operation.ts';
import { quantity } from '../../../shared/schema/quantity.ts';
import { paymasterContext } from '../../../shared/schema/sponsorship.ts';
import type { MethodContext } from '../method.ts';
import { checkChainId, checkEntryPoint, dappOf } from '../params.ts';
import { reading } from '../reading.ts';

export const zeroDevTarget = { chainId: quantity.nullish(), entryPointAddress: address };

/** Requires the DApp's chain and EntryPoint. @throws EngineError `ENTRY_POINT_MISMATCH`, `CHAIN_MISMATCH` */
export const checkZeroDevTarget = async (
  { chainId, entryPointAddress }: z.output<z.ZodObject<typeof zeroDevTarget>>,
  context: MethodContext,
): Promise<void> => {
  checkEntryPoint(entryPointAddress, 'params[0].entryPointAddress', await dappOf(context));
  if (chainId) checkChainId(String(chainId), 'params[0].chainId', context.chainId);
};

/** The request, converted to the parameters of ERC-7677. */
interface NormalizedRequest {
  readonly userOperation: PartialUserOperation;
  /** The fields of the context, whatever their names in the request. */
  readonly context: object;
  readonly calculateGasLimits: boolean;
}

export interface ObjectRequest<Schema extends z.ZodType> {
  readonly method: string;
  readonly schema: Schema;
  /** @throws EngineError */
  readonly meant: (given: z.output<Schema>) => NormalizedRequest | Promise<NormalizedRequest>;
}

/**
 * Reads `[object]`. If the request is refused, stores the refusal. @throws EngineError `VALIDATION`, and as `meant`
 * does
 */
export const readObject = <Schema extends z.ZodType>(
  { method, schema, meant }: ObjectRequest<Schema>,
  params: readonly unknown[],
  caller: MethodContext,
): Soon<ProcedureArguments<'sponsorship.sponsor'>> =>
  reading(method, params, caller, async () => {
    const { userOperation, context, calculateGasLimits } = await meant(parse(schema, params[0], 'params[0]'));
    const options = { ...parse(paymasterContext, context, 'params[0]'), calculateGasLimits };
    const { chainId, apiKey } = caller;
    return { chainId, apiKey, method, userOperation, options, received: params };
  });
