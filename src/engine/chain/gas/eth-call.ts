import { EngineError } from '../../../shared/errors.ts';
import { z } from 'zod';
import { isHex } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { quantity, toQuantity } from '../../../shared/schema/quantity.ts';
import type { RpcClient } from '../rpc.ts';

/** What an `eth_call` sees changed: code put at an address, or single storage slots. */
export type StateOverride = Readonly<
  Record<Address, { readonly code?: Hex; readonly stateDiff?: Readonly<Record<Hex, Hex>> }>
>;

/** Both changes: code of the second beside storage of the first, at one address. */
export const mergeOverrides = (one: StateOverride, other: StateOverride): StateOverride => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([address, change]) => [address, { ...one[address as Address], ...change }]),
  ),
});

/**
 * Gas of every simulating call. Named, so that all nodes give the same; what is simulated has to fit in, and nodes
 * must not cap it (geth's cap is 50 M).
 */
const CALL_GAS = 30_000_000n;

/**
 * `eth_call` on the latest block with changed state (geth's third parameter, which other nodes have too).
 *
 * @throws RpcError if the call reverts or the node refuses it
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const callWithOverride = (rpc: RpcClient, to: Address, data: Hex, override: StateOverride): Promise<Hex> =>
  sendForBytes(rpc, 'eth_call', [{ to, data, gas: toQuantity(CALL_GAS) }, 'latest', override]);

/** The code at an address on the latest block. @throws RpcError, EngineError `CHAIN_UNREACHABLE` */
export const readCode = (rpc: RpcClient, at: Address): Promise<Hex> => sendForBytes(rpc, 'eth_getCode', [at, 'latest']);

/** Asks for a quantity. @throws RpcError, EngineError `CHAIN_UNREACHABLE` */
export const readQuantity = async (rpc: RpcClient, method: string, params: readonly unknown[]): Promise<bigint> => {
  const { success, data } = quantity.safeParse(await rpc.send(method, params));
  if (success) return data;
  throw new EngineError('CHAIN_UNREACHABLE', `The node did not answer ${method} with a quantity`);
};

/**
 * How many transactions and EIP-7702 authorisations an account has had.
 *
 * @param at `latest`, `pending` or a block's number
 * @throws RpcError, EngineError `CHAIN_UNREACHABLE`
 */
export const readTransactionCount = (rpc: RpcClient, of: Address, at: string): Promise<bigint> =>
  readQuantity(rpc, 'eth_getTransactionCount', [of, at]);

const blockSchema = z.object({ baseFeePerGas: quantity.default(0n), gasLimit: quantity.optional() });

/** What the latest block says about gas. */
export interface BlockGas {
  /** Wei per gas; 0 on chains without EIP-1559. */
  readonly baseFeePerGas: bigint;
  /** How much gas a block holds. */
  readonly gasLimit?: bigint | undefined;
}

/** Reads the latest block. @throws RpcError, EngineError `CHAIN_UNREACHABLE` */
export const readBlockGas = async (rpc: RpcClient): Promise<BlockGas> => {
  const block = await rpc.send('eth_getBlockByNumber', ['latest', false]);
  const { success, data } = blockSchema.safeParse(block);
  if (success) return data;
  throw new EngineError('CHAIN_UNREACHABLE', 'The node did not answer eth_getBlockByNumber with a block');
};

const sendForBytes = async (rpc: RpcClient, method: string, params: readonly unknown[]): Promise<Hex> => {
  const answer = await rpc.send(method, params);
  if (typeof answer === 'string' && isHex(answer)) return answer;
  throw new EngineError('CHAIN_UNREACHABLE', `The node did not answer ${method} with bytes`);
};
