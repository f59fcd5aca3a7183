import { EngineError } from '../../../shared/errors.ts';
import { z } from 'zod';
import { hex } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { quantity, toQuantity } from '../../../shared/schema/quantity.ts';
import { type RpcClient, scheduleOf } from '../rpc.ts';

/** A state override for an `eth_call`: code at an address, or single storage slots. */
export type StateOverride = Readonly<
  Record<Address, { readonly code?: Hex; readonly stateDiff?: Readonly<Record<Hex, Hex>> }>
>;

/** Combines two overrides. If both have the same address, the code of the second one is used, and the slots of both. */
export const mergeOverrides = (one: StateOverride, other: StateOverride): StateOverride => {
  const merged = Object.entries(other).map(([address, change]) => {
    const before = one[address as Address];
    const stateDiff = { ...before?.stateDiff, ...change.stateDiff };
    return [address, { ...before, ...change, ...(Object.keys(stateDiff).length > 0 && { stateDiff }) }];
  });
  return { ...one, ...(Object.fromEntries(merged) as StateOverride) };
};

/**
 * Gas of every simulating call. Set explicitly, so that all nodes use the same value. It must suffice for the
 * simulation, and stay below the caps of nodes (geth: 50 M).
 */
const CALL_GAS = 30_000_000n;

/**
 * Gas of every simulating call of a node. If more gas would hide what new state costs, the call gets no more than
 * bundlers give a transaction.
 */
export const callGasOf = (rpc: RpcClient): bigint => {
  const { hidesStateGas, mostTransactionGas = CALL_GAS } = scheduleOf(rpc);
  return hidesStateGas ? mostTransactionGas : CALL_GAS;
};

/**
 * `eth_call` at the latest block with a state override (geth's third parameter, which other nodes support too).
 *
 * @throws RpcError if the call reverts or the node refuses it
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const callWithOverride = (rpc: RpcClient, to: Address, data: Hex, override: StateOverride): Promise<Hex> =>
  sendForBytes(rpc, 'eth_call', [{ to, data, gas: toQuantity(callGasOf(rpc)) }, 'latest', override]);

/**
 * `eth_call` at the unchanged latest block, with the gas of {@link callGasOf}.
 *
 * @throws RpcError if the call reverts or the node refuses it
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const callWithAmpleGas = (rpc: RpcClient, to: Address, data: Hex): Promise<Hex> =>
  callWithGas(rpc, to, data, callGasOf(rpc));

/**
 * `eth_call` at the unchanged latest block, with this amount of gas. @throws RpcError, EngineError `CHAIN_UNREACHABLE`
 */
export const callWithGas = (rpc: RpcClient, to: Address, data: Hex, gas: bigint): Promise<Hex> =>
  sendForBytes(rpc, 'eth_call', [{ to, data, gas: toQuantity(gas) }, 'latest']);

/**
 * `eth_call` at the latest block that creates a contract, and returns what its constructor returns. Nothing is
 * deployed.
 *
 * @param data creation code and constructor arguments
 * @returns undefined if the node's answer is not bytes, as from some nodes that do not support such calls
 * @throws RpcError if it reverts or the node refuses it
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const callCreation = async (rpc: RpcClient, data: Hex, gas: bigint): Promise<Hex | undefined> =>
  hex.safeParse(await rpc.send('eth_call', [{ data, gas: toQuantity(gas) }, 'latest'])).data;

/** A storage slot of a contract at the latest block. @throws RpcError, EngineError `CHAIN_UNREACHABLE` */
export const readSlot = (rpc: RpcClient, at: Address, slot: number): Promise<bigint> =>
  readQuantity(rpc, 'eth_getStorageAt', [at, toQuantity(BigInt(slot)), 'latest']);

/** The code at an address at the latest block. @throws RpcError, EngineError `CHAIN_UNREACHABLE` */
export const readCode = (rpc: RpcClient, at: Address): Promise<Hex> => sendForBytes(rpc, 'eth_getCode', [at, 'latest']);

/** Reads a quantity. @throws RpcError, EngineError `CHAIN_UNREACHABLE` */
export const readQuantity = async (rpc: RpcClient, method: string, params: readonly unknown[]): Promise<bigint> => {
  const { success, data } = quantity.safeParse(await rpc.send(method, params));
  if (success) return data;
  throw new EngineError('CHAIN_UNREACHABLE', `The node did not return a quantity for ${method}`);
};

/**
 * An account's transaction count, to which EIP-7702 authorisations add as well.
 *
 * @param at `latest`, `pending` or a block's number
 * @throws RpcError, EngineError `CHAIN_UNREACHABLE`
 */
export const readTransactionCount = (rpc: RpcClient, of: Address, at: string): Promise<bigint> =>
  readQuantity(rpc, 'eth_getTransactionCount', [of, at]);

const blockSchema = z.object({
  number: quantity.refine((number) => number <= Number.MAX_SAFE_INTEGER).transform(Number),
  baseFeePerGas: quantity.default(0n),
  gasLimit: quantity.optional(),
});

export interface BlockGas {
  readonly number: number;
  /** Wei per gas; 0 on chains without EIP-1559. */
  readonly baseFeePerGas: bigint;
  readonly gasLimit?: bigint | undefined;
}

/** Reads the latest block. @throws RpcError, EngineError `CHAIN_UNREACHABLE` */
export const readBlockGas = async (rpc: RpcClient): Promise<BlockGas> => {
  const block = await rpc.send('eth_getBlockByNumber', ['latest', false]);
  const { success, data } = blockSchema.safeParse(block);
  if (success) return data;
  throw new EngineError('CHAIN_UNREACHABLE', 'The node did not return a block for eth_getBlockByNumber');
};

const sendForBytes = async (rpc: RpcClient, method: string, params: readonly unknown[]): Promise<Hex> => {
  const { success, data } = hex.safeParse(await rpc.send(method, params));
  if (success) return data;
  throw new EngineError('CHAIN_UNREACHABLE', `The node did not return bytes for ${method}`);
};
