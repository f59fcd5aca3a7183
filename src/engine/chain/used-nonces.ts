import { Interface } from 'ethers';
import type { EndlessReservation } from '../store/settlement-store.ts';
import { type RpcClient, RpcError } from './rpc.ts';

/** The same from EntryPoint v0.6 on. A nonce is a key of 192 bits and its sequence of 64 (ERC-4337). */
const abi = new Interface(['function getNonce(address sender, uint192 key) view returns (uint256)']);

/**
 * Those of the reservations whose nonce was used up to a block, by whatever: their operations can never be mined. What
 * the node cannot tell, because it keeps no state of that block or has no such EntryPoint, counts as not used.
 *
 * @throws what `rpc.send` throws, but for an RpcError
 */
export const withUsedNonce = async (
  rpc: RpcClient,
  reservations: readonly EndlessReservation[],
  block: number,
): Promise<EndlessReservation[]> => {
  const isUsed = async ({ entryPoint, sender, nonce }: EndlessReservation): Promise<boolean> => {
    const data = abi.encodeFunctionData('getNonce', [sender, nonce >> 64n]);
    try {
      const next = await rpc.send('eth_call', [{ to: entryPoint, data }, `0x${block.toString(16)}`]);
      return typeof next === 'string' && /^0x[0-9a-f]{64}$/i.test(next) && BigInt(next) > nonce;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  };
  const used = await Promise.all(reservations.map(isUsed));
  return reservations.filter((_, index) => used[index]);
};
