import { z } from 'zod';
import type { Soon } from '../../base/soon.ts';
import type { ProcedureArguments } from '../../../api/index.ts';
import { address, hex } from '../../../shared/schema/hex.ts';
import { type PartialUserOperation, partialUserOperation } from '../../../shared/schema/partial-user-operation.ts';
import { quantity } from '../../../shared/schema/quantity.ts';
import type { MethodContext } from '../method.ts';
import { checkEntryPoint, dappOf } from '../params.ts';
import { isGasOpen } from './erc-7677.ts';
import { readObject } from './one-object.ts';

/** A value that replaces the estimated value, or multiplies it. */
const override = z.union([quantity, z.object({ multiplier: z.number().positive().max(10) })]).nullish();
const FEES = ['maxFeePerGas', 'maxPriorityFeePerGas'] as const;
const LIMITS = [
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
] as const;

export const alchemyRequest = z.object({
  policyId: z.unknown().optional(),
  entryPoint: address,
  userOperation: partialUserOperation,
  dummySignature: hex.nullish(),
  erc20Context: z.object({ tokenAddress: address.nullish() }).nullish().describe('The token to pay in'),
  overrides: z
    .object(
      Object.fromEntries([...FEES, ...LIMITS].map((field) => [field, override])) as Record<
        (typeof FEES | typeof LIMITS)[number],
        typeof override
      >,
    )
    .nullish()
    .describe('Multipliers of gas limits are ignored'),
});

type AlchemyRequest = z.output<typeof alchemyRequest>;
type Complete = (op: PartialUserOperation, overrides: AlchemyRequest['overrides']) => Promise<PartialUserOperation>;

/**
 * Reads `[object]`. If the request is refused, stores the refusal.
 *
 * @param complete adds the fields that the client leaves to Gasdesk
 * @throws EngineError `VALIDATION`, `ENTRY_POINT_MISMATCH`, and as `complete` does
 */
export const readAlchemy = (
  method: string,
  params: readonly unknown[],
  context: MethodContext,
  complete?: Complete,
): Soon<ProcedureArguments<'sponsorship.sponsor'>> => {
  const meant = async ({ entryPoint, dummySignature, ...given }: AlchemyRequest) => {
    checkEntryPoint(entryPoint, 'params[0].entryPoint', await dappOf(context));
    const { policyId, erc20Context, overrides } = given;
    const sent = given.userOperation;
    const signature = sent.signature === '0x' ? (dummySignature ?? '0x') : sent.signature;
    const op = { ...sent, signature };
    const userOperation = (await complete?.(op, overrides)) ?? op;
    const calculateGasLimits = complete !== undefined && isGasOpen(userOperation);
    return { userOperation, context: { policyId, erc20Context }, calculateGasLimits };
  };
  return readObject({ method, schema: alchemyRequest, meant }, params, context);
};

const THOUSANDTHS = 1000;

/** Applies the overrides, and replaces missing fees by the chain's. */
export const withAlchemyGas =
  ({ service, chainId, apiKey }: MethodContext): Complete =>
  async (op, overrides) => {
    const absolute = LIMITS.flatMap((field) => {
      const value = overrides?.[field];
      return typeof value === 'bigint' ? [[field, value]] : [];
    });
    const { standard: suggested } = await service.run('sponsorship.gasPrice', { chainId, apiKey });
    const fees = FEES.map((field) => {
      const value = overrides?.[field];
      if (typeof value === 'bigint') return [field, value];
      const own = op[field] ?? 0n;
      const fee = own === 0n ? BigInt(suggested[field]) : own;
      return [field, value ? (fee * BigInt(Math.round(value.multiplier * THOUSANDTHS))) / BigInt(THOUSANDTHS) : fee];
    });
    return { ...op, ...(Object.fromEntries([...absolute, ...fees]) as Partial<PartialUserOperation>) };
  };
