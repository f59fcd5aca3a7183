import { Interface } from 'ethers';
import type { OpenReservation } from '../store/settlement-store.ts';
import { type RpcClient, RpcError, isUnreachable } from './rpc.ts';
import type { Block } from './user-operation-events.ts';

/** The same from EntryPoint v0.6 on. A nonce is a key of 192 bits and its sequence of 64 (ERC-4337). */
const abi = new Interface(['function getNonce(address sender, uint192 key) view returns (uint256)']);

/** What a node says of a nonce. `unanswered`: it does not have that block, or its state, or says nothing. */
export type NonceState = 'used' | 'unused' | 'unanswered';

/**
 * Whether the nonce of a reservation was used up to a block, by whatever: once it is, the operation can no longer be
 * mined. The block is named by its hash, so that a node that does not have it cannot answer for another one.
 *
 * @throws what `rpc.send` throws, but for failures of the node and of the way to it
 */
export const askNonce = async (
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
