import { max } from '../../shared/bigints.ts';
import { fixes } from '../base/fixes.ts';
import { knownChains } from '../../shared/chains.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Authority } from '../../shared/schema/gas-schedule.ts';
import { type Address, sameAddress } from '../../shared/schema/hex.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { entryPoints } from '../../core/entry-points/registry.ts';
import type { ChainSnapshot } from '../../core/facts/facts.ts';
import { delegateOf } from '../chain/gas/delegation.ts';
import type { BelievedFees } from '../chain/fees/believed-fees.ts';
import { readFees } from '../chain/fees/read-fees.ts';
import { readCode } from '../chain/gas/eth-call.ts';
import { l1DataGas, recognizeRollup } from '../chain/gas/l1-data-gas.ts';
import { fitsWithoutL1Data } from '../../core/user-operation/bundler-surplus.ts';
import { asBundled } from '../../core/user-operation/bundle-gas.ts';
import { type RpcClient, RpcError, isUnreachable, nodeRefusal, scheduleOf } from '../chain/rpc.ts';
import { readSenderNonce } from '../paymaster/contract-reads.ts';
import type { ReadyPaymaster, Tank } from '../paymaster/readiness.ts';
import type { Store } from '../store/store.ts';
import type { Deposits } from './deposits.ts';
import type { RequestedOperation } from '../../core/user-operation/read-operation.ts';
import { readTank } from './read-tank.ts';
import { isEip7702 } from '../../core/user-operation/user-op-hash.ts';
import { withCallErrors } from '../paymaster/verify-contract.ts';

/** The chain's node, for steps that require one. @throws EngineError `PAYMASTER_NOT_READY` */
export const requireRpc = (rpc: RpcClient | undefined, { chainId }: ReadyPaymaster): RpcClient => {
  if (rpc !== undefined) return rpc;
  const fix = fixes.setRpc(chainId);
  throw new EngineError('PAYMASTER_NOT_READY', `Chain ${chainId} has no RPC URL. ${fix}`, { missing: 'rpc', fix });
};

/**
 * The paymaster's own nonce for the sender; undefined, without a promise, for contracts that do not hash it.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `PAYMASTER_NOT_READY` or `CONTRACT_MISMATCH`
 */
export const readNonce = (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  sender: Address,
): Promise<bigint> | undefined => {
  if (!ready.layout.chainReads.includes('senderNonce')) return undefined;
  const { call } = requireRpc(rpc, ready);
  return withCallErrors(ready, () => readSenderNonce(call, ready.contract, sender));
};

/**
 * The contract whose code the sender of an EIP-7702 operation (v0.8) runs, which is part of the operation's hash. Taken
 * from the authorisation, else from the chain. Undefined, without a promise, for operations that are not marked as
 * EIP-7702.
 *
 * @throws EngineError `VALIDATION` if no delegate is found, `CHAIN_UNREACHABLE`, `PAYMASTER_NOT_READY`
 */
export const readDelegate = (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  op: RequestedOperation,
): Promise<Address> | undefined =>
  isV06(op) || op.factory === undefined || !isEip7702(op.factory) ? undefined : requireDelegate(rpc, ready, op);

const requireDelegate = async (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  op: Exclude<RequestedOperation, { initCode: unknown }>,
): Promise<Address> => {
  if (op.eip7702Auth !== undefined) return op.eip7702Auth.address;
  const node = requireRpc(rpc, ready);
  const delegate = delegateOf(await withCallErrors(ready, () => readCode(node, op.sender)));
  if (delegate !== undefined) return delegate;
  const message = 'eip7702Auth must be given: the sender has no EIP-7702 delegate yet';
  throw new EngineError('VALIDATION', message, { errors: [message] });
};

/** Amount of withdrawals from a tank that are sent but not mined, in wei. */
export const readWithdrawals = async (store: Pick<Store, 'openOperatorTransactions'>, tank: Tank): Promise<bigint> => {
  const { chainId, contract, fundingWallet } = tank;
  const withdrawals = (await store.openOperatorTransactions()).filter(
    ({ kind, state, to, from, ...one }) =>
      kind === 'withdraw' &&
      state === 'sent' &&
      one.chainId === chainId &&
      to !== null &&
      sameAddress(to, contract) &&
      (fundingWallet === undefined || sameAddress(from, fundingWallet)),
  );
  // withdrawTo(address, uint256)
  return withdrawals.reduce((sum, { data }) => sum + BigInt(`0x${data.slice(-64)}`), 0n);
};

/**
 * The fees that Gasdesk would sponsor for the next blocks, in wei per gas: the fees of the node, as far as Gasdesk
 * believes them.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const suggestFees = async (
  rpc: RpcClient,
  ready: Tank,
  fees: Pick<BelievedFees, 'believe'>,
): Promise<Pick<UserOperation, 'maxFeePerGas' | 'maxPriorityFeePerGas'>> => {
  const reading = await withCallErrors(ready, () => readFees(rpc));
  const { baseFeeWei, tipWei: maxPriorityFeePerGas = 0n } = await fees.believe(ready.chainId, reading);
  const maxFeePerGas = max(reading.block.baseFeePerGas, 2n * baseFeeWei) + maxPriorityFeePerGas;
  return { maxFeePerGas, maxPriorityFeePerGas };
};

/** An operation, and the state of its sender's account before its EIP-7702 authorisation takes effect. */
interface PricedOperation {
  readonly op: UserOperation;
  readonly authority?: Authority | undefined;
}

/**
 * Gas that a layer 2 chain charges for the operation's data; 0 if it makes no difference, and on other chains.
 *
 * @throws EngineError `CHAIN_UNREACHABLE` if the chain's oracle cannot be read
 */
const readL1DataGas = async (rpc: RpcClient, ready: Tank, { op, authority }: PricedOperation): Promise<bigint> => {
  const { chainId, entryPoint, layout } = ready;
  if (fitsWithoutL1Data(entryPoints[layout.entryPointVersion], op, { schedule: scheduleOf(rpc), authority })) return 0n;
  try {
    const known = knownChains.get(chainId);
    const rollup = known === undefined ? await recognizeRollup(rpc) : known.rollup;
    return rollup === undefined ? 0n : await l1DataGas(rollup, { rpc, chainId, entryPoint, op: asBundled(op) });
  } catch (error) {
    throw error instanceof RpcError ? nodeRefusal(chainId, error) : error;
  }
};

export interface MoneyContext {
  readonly store: Pick<Store, 'openOperatorTransactions' | 'findChain'>;
  readonly fees: Pick<BelievedFees, 'believe'>;
  readonly deposits: Pick<Deposits, 'ofOthers' | 'saw'>;
}

/**
 * Reads tank and fees. Null if the chain has no RPC URL, or if its node answers neither read and the operator has set a
 * budget for that. A node that answers one of the reads is reachable: a user who makes the other read fail must not be
 * able to disable checks. With `mustAnswer`, nothing is signed without an answer, even with a budget, because the
 * request has already reached the node, or because the user pays in a token.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `CONTRACT_MISMATCH` or `PAYMASTER_NOT_READY`
 */
export const readMoney = async (
  { store, fees, deposits }: MoneyContext,
  rpc: RpcClient | undefined,
  ready: Tank,
  priced: PricedOperation,
  mustAnswer: boolean,
): Promise<ChainSnapshot | null> => {
  if (rpc === undefined) return null;
  const { chainId } = ready;
  // Before the node is asked: a read that fails while no one waits for it ends the process.
  const chain = await store.findChain(chainId);
  const readings = [readTank(rpc, ready), withCallErrors(ready, () => readFees(rpc))] as const;
  const l1Data = readL1DataGas(rpc, ready, priced);
  // Both are read at the same time, so that the second read takes no additional time.
  const others = chain?.breaker === 'default' ? deposits.ofOthers(rpc, ready) : undefined;
  const [ended] = await Promise.all([Promise.allSettled(readings), Promise.allSettled([l1Data, others])]);
  const isSilent = ended.every((read) => read.status === 'rejected' && isUnreachable(read.reason));
  if (isSilent && !mustAnswer && (chain?.unreachableBudgetWei ?? null) !== null) return null;
  const [balanceWei, reading] = await Promise.all(readings);
  deposits.saw(ready, balanceWei);
  const [l1Gas, othersWei] = await Promise.all([l1Data, others]);
  const [pendingWithdrawalsWei, believed] = await Promise.all([
    readWithdrawals(store, ready),
    fees.believe(chainId, reading),
  ]);
  const { block, suggestedTipWei } = reading;
  return {
    balanceWei: String(balanceWei),
    pendingWithdrawalsWei: String(pendingWithdrawalsWei),
    baseFeeWei: String(block.baseFeePerGas),
    believedBaseFeeWei: String(believed.baseFeeWei),
    ...(suggestedTipWei !== undefined && { suggestedTipWei: String(suggestedTipWei) }),
    ...(believed.tipWei !== undefined && { believedTipWei: String(believed.tipWei) }),
    ...(othersWei !== undefined && { depositsWei: String(balanceWei + othersWei) }),
    l1DataGas: String(l1Gas),
    ...(block.gasLimit !== undefined && { blockGasLimit: String(block.gasLimit) }),
  };
};
