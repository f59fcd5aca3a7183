import { concat, toBeHex } from 'ethers';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, hex, lowerCaseAddress, sameAddress } from '../../shared/schema/hex.ts';
import { partialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import { quantity } from '../../shared/schema/quantity.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import { entryPoints } from '../../core/entry-points/registry.ts';
import { requireLayout } from '../../core/paymaster-layouts/registry.ts';
import { digits, toHex } from '../../core/user-operation/hex-digits.ts';
import { withPaymasterAndData } from '../../core/user-operation/paymaster-fields.ts';
import { signatureSuffix } from '../../core/user-operation/paymaster-signature.ts';
import type { RequestedOperation } from '../../core/user-operation/read-operation.ts';
import { isEip7702 } from '../../core/user-operation/user-op-hash.ts';
import { delegateOf } from '../chain/gas/delegation.ts';
import { readCode } from '../chain/gas/eth-call.ts';
import { RpcError } from '../chain/rpc.ts';
import type { Dapp } from '../store/registry-store.ts';
import type { ServiceContext } from './service.ts';

/** A bundler's error, with the bundler's own code and message, because clients act on them. */
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

/** `paymasterAndData` of an operation for EntryPoint v0.6. */
const packedData = z.object({ paymasterAndData: hex }).transform((op) => op.paymasterAndData);

/** The same from the separate fields of later versions. Both forms together could mean two things. */
const separateData = z
  .object({
    paymaster: lowerCaseAddress,
    paymasterVerificationGasLimit: uint128,
    paymasterPostOpGasLimit: uint128,
    paymasterData: hex,
    paymasterSignature: hex.default('0x'),
    paymasterAndData: z.undefined().optional(),
  })
  .transform((op) =>
    concat([
      ...[op.paymaster, op.paymasterVerificationGasLimit, op.paymasterPostOpGasLimit, op.paymasterData],
      toHex(signatureSuffix(digits(op.paymasterSignature))),
    ]),
  );

const required = z.object({ callGasLimit: quantity, verificationGasLimit: quantity, preVerificationGas: quantity });

type Context = Pick<ServiceContext, 'store' | 'chains' | 'clock'>;

/** The contract to which an EIP-7702 account delegates, by its authorisation or else its code. */
const readDelegate = async (
  { chains }: Context,
  chainId: number,
  op: RequestedOperation,
): Promise<Address | undefined> => {
  if (isV06(op) || op.factory === undefined || !isEip7702(op.factory)) return undefined;
  if (op.eip7702Auth !== undefined) return op.eip7702Auth.address;
  const node = await chains.rpc(chainId);
  return node && delegateOf(await readCode(node, op.sender));
};

/** The hash of an operation that is sent with all of its gas and paymaster data; undefined if it cannot be read. */
const hashOf = async (context: Context, dapp: Dapp, sent: unknown, data: Hex): Promise<Hex | undefined> => {
  const { chainId, version } = dapp;
  const entryPoint = entryPoints[requireLayout(version).entryPointVersion];
  const partial = partialUserOperation.safeParse(sent).data;
  const limits = required.safeParse(sent).data;
  if (partial === undefined || limits === undefined) return undefined;
  try {
    const requested = entryPoint.read(partial, chainId);
    const delegate = await readDelegate(context, chainId, requested);
    const op = withPaymasterAndData({ ...requested, ...limits }, data);
    return entryPoint.hash(op, {
      chainId,
      entryPoint: entryPoint.address,
      ...(delegate !== undefined && { delegate }),
    });
  } catch {
    return undefined;
  }
};

/** No operation can be mined later: the longest validity that a DApp may be allowed. */
const LONGEST_VALIDITY_MS = 86_400_000;

/** Whether the desk has signed this operation, with this paymaster data, for this DApp. */
const isSigned = async (context: Context, dapp: Dapp, [sent, address]: readonly unknown[]): Promise<boolean> => {
  const { version, paymasterId } = dapp;
  const entryPoint = entryPoints[requireLayout(version).entryPointVersion];
  const named = lowerCaseAddress.safeParse(address).data;
  const data = (entryPoint.isPacked ? separateData : packedData).safeParse(sent).data as Hex | undefined;
  if (named === undefined || !sameAddress(named, entryPoint.address) || data === undefined) return false;
  const userOpHash = await hashOf(context, dapp, sent, data);
  if (userOpHash === undefined) return false;
  const from = context.clock.now() - LONGEST_VALIDITY_MS;
  const found = await context.store.listDecisions({
    ...{ paymasterId, userOpHash, from },
    outcome: 'sponsored',
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
  context: Context,
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
  if (!isFree && !(await isSigned(context, dapp, params))) {
    const fix = 'Send it with the paymaster data that Gasdesk answered, or to a bundler directly.';
    throw new EngineError(
      'NOT_SPONSORED',
      `Gasdesk forwards to the bundler only operations that it has signed for this DApp. ${fix}`,
      { fix },
    );
  }
  const result = await bundler.send(method, params).catch((error: unknown) => {
    throw error instanceof RpcError ? new BundlerRefusal(error) : error;
  });
  return result ?? null;
};
