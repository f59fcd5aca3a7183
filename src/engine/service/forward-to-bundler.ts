import { concat, toBeHex } from 'ethers';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { hex, lowerCaseAddress } from '../../shared/schema/hex.ts';
import { quantity } from '../../shared/schema/quantity.ts';
import { digits, toHex } from '../../core/user-operation/hex-digits.ts';
import { signatureSuffix } from '../../core/user-operation/paymaster-signature.ts';
import { RpcError } from '../chain/rpc.ts';
import type { Dapp } from '../store/registry-store.ts';
import type { ServiceContext } from './service.ts';

/** Of a bundler: its code and its words, which clients act on. */
class BundlerRefusal extends EngineError {
  readonly #rpcCode: number;

  constructor(cause: RpcError) {
    super('BUNDLER_REFUSED', cause.message, cause.data === undefined ? {} : { data: cause.data }, { cause });
    this.#rpcCode = cause.code;
  }

  override get rpcCode(): number {
    return this.#rpcCode;
  }
}

const uint128 = quantity.refine((value) => value < 2n ** 128n).transform((value) => toBeHex(value, 16));

/** The packed paymaster data of an operation in the format of any EntryPoint version. */
const paymasterAndData = z.union([
  z
    .object({
      paymaster: lowerCaseAddress,
      paymasterVerificationGasLimit: uint128,
      paymasterPostOpGasLimit: uint128,
      paymasterData: hex,
      paymasterSignature: hex.default('0x'),
    })
    .transform((op) =>
      concat([
        ...[op.paymaster, op.paymasterVerificationGasLimit, op.paymasterPostOpGasLimit, op.paymasterData],
        toHex(signatureSuffix(digits(op.paymasterSignature))),
      ]),
    ),
  z.object({ paymasterAndData: hex }).transform((op) => op.paymasterAndData),
]);
const operation = z.object({ sender: lowerCaseAddress });

/** No operation can be mined later: the longest validity that a DApp may be allowed. */
const LONGEST_VALIDITY_MS = 86_400_000;

/** Whether the desk has signed the paymaster data of an operation for this DApp. */
const isSigned = async (
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  { paymasterId }: Dapp,
  sent: unknown,
): Promise<boolean> => {
  const sender = operation.safeParse(sent).data?.sender;
  const data = paymasterAndData.safeParse(sent).data;
  if (sender === undefined || data === undefined || data === '0x') return false;
  const found = await store.listDecisions({
    paymasterId,
    sender,
    outcome: 'sponsored',
    from: clock.now() - LONGEST_VALIDITY_MS,
    paymasterAndData: data,
    limit: 1,
  });
  return found.length > 0;
};

const NO_BUNDLER = 'Gasdesk is a paymaster, not a bundler.';

/**
 * Passes a bundler's method on to the bundler of the DApp's chain.
 *
 * @returns the bundler's result
 * @throws EngineError `METHOD_NOT_FOUND` unless the operator has allowed it; `NOT_SPONSORED` for an operation that the
 *   desk has not signed, where only those pass; `BUNDLER_REFUSED` with the bundler's own code and message;
 *   `CHAIN_UNREACHABLE`, `VAULT_LOCKED`
 */
export const forwardToBundler = async (
  context: Pick<ServiceContext, 'store' | 'chains' | 'clock'>,
  dapp: Dapp,
  method: string,
  params: readonly unknown[],
): Promise<unknown> => {
  const { chainId } = dapp;
  const { forwardBundler = null } = (await context.store.findChain(chainId)) ?? {};
  const bundler = forwardBundler === null ? undefined : await context.chains.bundler(chainId);
  if (bundler === undefined) {
    const fix = `Send ${method} to the URL of a bundler, and only methods of paymasters, such as pm_getPaymasterData, to this one. The operator can also have Gasdesk pass bundler methods on: "gasdesk chain set ${chainId} --forward-bundler own".`;
    throw new EngineError('METHOD_NOT_FOUND', `Method not found: ${method}. ${NO_BUNDLER} ${fix}`, { fix });
  }
  const isFree = method !== 'eth_sendUserOperation' || forwardBundler === 'all';
  if (!isFree && !(await isSigned(context, dapp, params[0]))) {
    const fix = 'Send it with the paymaster data that Gasdesk answered, or to a bundler directly.';
    throw new EngineError(
      'NOT_SPONSORED',
      `Gasdesk passes only operations that it has signed for this DApp on to the bundler. ${fix}`,
      { fix },
    );
  }
  const result = await bundler.send(method, params).catch((error: unknown) => {
    throw error instanceof RpcError ? new BundlerRefusal(error) : error;
  });
  return result ?? null;
};
