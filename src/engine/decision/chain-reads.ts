import { EngineError } from '../../shared/errors.ts';
import { type Address, sameAddress } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import { chainSymbol } from '../chain/chain-symbol.ts';
import { delegateOf } from '../chain/gas/delegation.ts';
import { readBlockGas, readCode, readQuantity } from '../chain/gas/eth-call.ts';
import { NodeAway, type RpcClient, RpcError } from '../chain/rpc.ts';
import { callFault } from '../paymaster/agreement.ts';
import { UnexpectedAnswer, readBalance, readSenderNonce } from '../paymaster/contract-reads.ts';
import type { ReadyPaymaster, Tank } from '../paymaster/readiness.ts';
import { TIP_ALLOWANCE_WEI } from '../rules/fees.ts';
import type { Store } from '../store/store.ts';
import type { RequestedOperation } from '../user-operation/read-operation.ts';
import { isEip7702 } from '../user-operation/user-op-hash.ts';

/** The chain's node, for what cannot be done without it. @throws EngineError `PAYMASTER_NOT_READY` */
export const requireRpc = (rpc: RpcClient | undefined, { chainId }: ReadyPaymaster): RpcClient => {
  if (rpc !== undefined) return rpc;
  const fix = `Run "gasdesk chain set ${chainId} --rpc URL".`;
  throw new EngineError('PAYMASTER_NOT_READY', `Chain ${chainId} has no RPC URL. ${fix}`, { missing: 'rpc', fix });
};

const asked = async <T>(ready: Tank, read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    throw error instanceof RpcError || error instanceof UnexpectedAnswer ? callFault(ready, error) : error;
  }
};

/**
 * What the chain says; undefined where it cannot be reached.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `CONTRACT_MISMATCH` or `PAYMASTER_NOT_READY`
 */
export const unlessAway = async <T>(ready: ReadyPaymaster, read: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await asked(ready, read);
  } catch (error) {
    if (error instanceof NodeAway) return undefined;
    throw error;
  }
};

/**
 * The paymaster's own nonce of the sender; undefined for contracts that do not hash it.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `PAYMASTER_NOT_READY` or `CONTRACT_MISMATCH`
 */
export const readNonce = async (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  sender: Address,
): Promise<bigint | undefined> => {
  if (!ready.layout.chainReads.includes('senderNonce')) return undefined;
  const { call } = requireRpc(rpc, ready);
  return asked(ready, () => readSenderNonce(call, ready.contract, sender));
};

/**
 * Whose code the sender of an EIP-7702 operation of v0.8 runs, which is part of the operation's hash: as the
 * authorisation beside it says, else as it is on chain. Undefined for operations that do not say they are of this kind.
 *
 * @throws EngineError `VALIDATION` if there is no delegate, `CHAIN_UNREACHABLE`, `PAYMASTER_NOT_READY`
 */
export const readDelegate = async (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  op: RequestedOperation,
): Promise<Address | undefined> => {
  if (isV06(op) || op.factory === undefined || !isEip7702(op.factory)) return undefined;
  if (op.eip7702Auth !== undefined) return op.eip7702Auth.address;
  const node = requireRpc(rpc, ready);
  const delegate = delegateOf(await asked(ready, () => readCode(node, op.sender)));
  if (delegate !== undefined) return delegate;
  const message = 'eip7702Auth must be given: the sender has not taken on a contract by EIP-7702 yet';
  throw new EngineError('VALIDATION', message, { errors: [message] });
};

/** What the chain says about money. */
export interface ChainMoney {
  /** What the tank holds, wei. */
  readonly balanceWei: bigint;
  /** What withdrawals under way take out of it, wei. */
  readonly leavingWei?: bigint;
  /** What the coin is called. */
  readonly symbol?: string;
  /** What a block asks for at least, wei per gas. */
  readonly baseFeeWei: bigint;
  /** What the node suggests to tip, wei per gas; asked only for an operation that tips more than is allowed anywhere. */
  readonly suggestedTipWei?: bigint | undefined;
  /** How much gas a block holds. */
  readonly blockGasLimit?: bigint | undefined;
}

/**
 * What the tank holds, wei.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `CONTRACT_MISMATCH` or `PAYMASTER_NOT_READY`
 */
export const readTank = (rpc: RpcClient, ready: Tank): Promise<bigint> => {
  const { layout, contract, fundingWallet, entryPoint } = ready;
  const tank = { paymaster: contract, ...(fundingWallet !== undefined && { fundingWallet }) };
  return asked(ready, () => readBalance(rpc.call, layout, tank, entryPoint));
};

/** What withdrawals that were sent and are not mined will take out of a tank, wei. */
export const readWithdrawals = async (store: Pick<Store, 'openOperatorTransactions'>, tank: Tank): Promise<bigint> => {
  const { chainId, contract, fundingWallet } = tank;
  const leaving = (await store.openOperatorTransactions()).filter(
    ({ kind, state, to, from, ...one }) =>
      kind === 'withdraw' &&
      state === 'sent' &&
      one.chainId === chainId &&
      to !== null &&
      sameAddress(to, contract) &&
      (fundingWallet === undefined || sameAddress(from, fundingWallet)),
  );
  // withdrawTo(address, uint256)
  return leaving.reduce((sum, { data }) => sum + BigInt(`0x${data.slice(-64)}`), 0n);
};

/** Undefined where the node does not say: nothing is refused for that, and nothing allowed. */
const readSuggestedTip = async (rpc: RpcClient): Promise<bigint | undefined> => {
  try {
    return await readQuantity(rpc, 'eth_maxPriorityFeePerGas', []);
  } catch (error) {
    if (error instanceof RpcError || error instanceof EngineError) return undefined;
    throw error;
  }
};

/**
 * Reads tank and fees; undefined where the chain cannot be reached: the contract guards its own money.
 * A node that tells one of them was reached, and without the other nothing is signed: who has the node refuse one read
 * must not switch off what is checked.
 *
 * @param reached true if this request has reached the node already, so that silence now is a fault
 * @throws EngineError `CHAIN_UNREACHABLE`, `CONTRACT_MISMATCH` or `PAYMASTER_NOT_READY`
 */
export const readMoney = async (
  store: Pick<Store, 'openOperatorTransactions' | 'findChain'>,
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  { maxPriorityFeePerGas }: Pick<RequestedOperation, 'maxPriorityFeePerGas'>,
  reached: boolean,
): Promise<ChainMoney | undefined> => {
  if (rpc === undefined) return undefined;
  const readings = [readTank(rpc, ready), asked(ready, () => readBlockGas(rpc))] as const;
  const ended = await Promise.allSettled(readings);
  if (!reached && ended.every((one) => one.status === 'rejected' && one.reason instanceof NodeAway)) return undefined;
  const [balanceWei, block] = await Promise.all(readings);
  const [leavingWei, chain, suggestedTipWei] = await Promise.all([
    readWithdrawals(store, ready),
    store.findChain(ready.chainId),
    maxPriorityFeePerGas > TIP_ALLOWANCE_WEI ? readSuggestedTip(rpc) : undefined,
  ]);
  const fees = { baseFeeWei: block.baseFeePerGas, suggestedTipWei, blockGasLimit: block.gasLimit };
  return { balanceWei, leavingWei, symbol: chainSymbol(ready.chainId, chain), ...fees };
};
