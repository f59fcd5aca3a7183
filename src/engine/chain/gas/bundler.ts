import { z } from 'zod';
import { EngineError } from '../../../shared/errors.ts';
import type { Hex } from '../../../shared/schema/hex.ts';
import { quantity } from '../../../shared/schema/quantity.ts';
import { isV06 } from '../../../shared/schema/user-operation.ts';
import { withPaymasterAndData } from '../../../core/user-operation/paymaster-fields.ts';
import { toRpcUserOperation } from '../../../core/user-operation/rpc-user-operation.ts';
import { RpcError } from '../rpc.ts';
import type { RpcClient } from '../rpc.ts';
import type { GasValues } from '../../../core/user-operation/gas-values.ts';
import type { GasRequest } from './gas-request.ts';
import { aaCodeIn } from '../../../core/entry-points/registry.ts';
import { publicFailureOf, validationFailure } from './failure.ts';

export type BundlerQuestion = Pick<GasRequest, 'op' | 'entryPoint' | 'sponsor'> & {
  readonly layout: Pick<GasRequest['layout'], 'paymasterGas'>;
};

/** The response to a DApp contains gas as JSON numbers (behaviour 2.5), which are exact up to this value. */
const gas = quantity.refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER), 'must be below 2^53');
const positiveGas = gas.refine((value) => value > 0n, 'must not be 0');

/** Older bundlers call the limit `verificationGas`. Other fields are ignored. */
const v06Schema = z
  .object({
    callGasLimit: gas,
    verificationGasLimit: positiveGas.optional(),
    verificationGas: positiveGas.optional(),
    preVerificationGas: positiveGas,
  })
  .transform(({ verificationGas, verificationGasLimit = verificationGas, ...rest }, context) => {
    if (verificationGasLimit !== undefined) return { ...rest, verificationGasLimit };
    context.addIssue({ code: 'custom', path: ['verificationGasLimit'], message: 'is missing' });
    return z.NEVER;
  });

/** Bundlers omit paymaster limits that they did not estimate, or return 0 for the paymaster's validation. */
const v07Schema = z.object({
  callGasLimit: gas,
  verificationGasLimit: positiveGas,
  preVerificationGas: positiveGas,
  paymasterVerificationGasLimit: gas.nullish(),
  paymasterPostOpGasLimit: gas.nullish(),
});

/**
 * Estimates gas with the bundler's `eth_estimateUserOperationGas` (ERC-7769). The operation is sent without gas limits,
 * because a bundler treats these as bounds. So the paymaster's signature cannot be used: without gas, no account is
 * validated. From v0.7 on, paymaster limits that the bundler omits come from the paymaster contract's layout.
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED` with `data.reason` if the bundler refuses the operation, with
 * `data.aaCode` and `data.selector` if it reports them, or if its answer is invalid; `CHAIN_UNREACHABLE`
 */
export const estimateByBundler = async (
  bundler: RpcClient,
  { op, entryPoint, sponsor, layout }: BundlerQuestion,
): Promise<GasValues> => {
  const limitless = {
    ...op,
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    ...layout.paymasterGas,
  };
  const {
    callGasLimit: _c,
    verificationGasLimit: _v,
    preVerificationGas: _p,
    ...wire
  } = toRpcUserOperation(withPaymasterAndData(limitless, sponsor(limitless)));
  const answer = await bundler.send('eth_estimateUserOperationGas', [wire, entryPoint]).catch((error: unknown) => {
    throw error instanceof RpcError ? refusal(error) : error;
  });
  if (isV06(op)) return read(v06Schema, answer);
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit, ...account } = read(v07Schema, answer);
  return {
    ...account,
    ...layout.paymasterGas,
    ...(paymasterVerificationGasLimit && { paymasterVerificationGasLimit }),
    ...(typeof paymasterPostOpGasLimit === 'bigint' && { paymasterPostOpGasLimit }),
  };
};

const read = <T>(schema: z.ZodType<T>, answer: unknown): T => {
  const values = schema.safeParse(answer);
  if (values.success) return values.data;
  const error = values.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
  throw new EngineError('GAS_ESTIMATION_FAILED', `The bundler's gas estimate is unusable: ${error.slice(0, 300)}`);
};

/** Revert data in a text: a selector followed by whole words. */
const REVERT_DATA = /0x[0-9a-f]{8}(?:[0-9a-f]{64})*(?![0-9a-f])/i;

/** Why bundlers refuse an operation, by the error codes of ERC-7769. */
const refusals: Readonly<Record<number, string>> = {
  [-32500]: 'the EntryPoint rejects it',
  [-32501]: 'the paymaster rejects it',
  [-32502]: 'its validation uses forbidden opcodes or storage',
  [-32503]: 'it is not valid at this time',
  [-32504]: 'the paymaster, the factory or the account is throttled',
  [-32505]: 'the paymaster, the factory or the account has too little stake',
  [-32506]: 'its aggregator is not supported',
  [-32507]: 'its signature is invalid',
  [-32521]: 'its call reverts',
};

/**
 * The error for a bundler's refusal. Bundlers put revert data into `data` or into their message. The message itself is
 * not shown, because it may quote contracts that have seen the draft's signature.
 */
const refusal = (error: RpcError): EngineError => {
  const { message, code } = error;
  const data = error.data ?? (REVERT_DATA.exec(message)?.[0] as Hex | undefined) ?? '0x';
  const words = `The bundler rejects the operation: ${refusals[code] ?? `error ${code}`}`;
  const failure = { words, ...publicFailureOf(data) };
  return validationFailure({ ...failure, aaCode: aaCodeIn(message) ?? failure.aaCode }, error);
};
