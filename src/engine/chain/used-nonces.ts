import { Interface } from 'ethers';
import type { OpenReservation } from '../store/settlement-store.ts';
import { type RpcClient, RpcError, isUnreachable } from './rpc.ts';
import type { Block } from './user-operation-events.ts';

/**
 * This function is the same in all EntryPoint versions from v0.6 on. A nonce consists of a 192-bit key and a 64-bit
 * sequence (ERC-4337).
 */
const abi = new Interface(['function getNonce(address sender, uint192 key) view returns (uint256)']);

/** A node's answer about a nonce. `unanswered`: the node lacks the block or its state, or does not respond. */
export type NonceState = 'used' | 'unused' | 'unanswered';

/**
 * Whether any operation has used a reservation's nonce up to a block, so that the reserved operation can no longer be
 * mined. The block is given by hash, so that a node without it cannot answer for a different block.
 *
 * @throws whatever `rpc.send` throws, except errors of the node and the connection
 */
export const queryNonce = async (
  rpc: RpcClient,
  { entryPoint, sender, nonce }: OpenReservation,
  { hash }: Block,
): Promise<NonceState> => {
  const data = abi.encodeFunctionData('getNonce', [sender, nonce >> 64n]);
  try {
    const at = { blockHash: hash, requireCanonical: true };
    const next = await rpc.send('eth_call', [{ to: entryPoint, data }, at]);
    if (typeof next !== 'string' || !/^0x[0-9a-f]{64}$/i.test(next)) return 'unanswered';
    return BigInt(next) > nonce ? 'used' : 'unused';
  } catch (error) {
    if (error instanceof RpcError || isUnreachable(error)) return 'unanswered';
    throw error;
  }
};
