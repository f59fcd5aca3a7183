import { Interface } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { type RpcClient, RpcError, hasReverted } from '../chain/rpc.ts';

/** What can be read of ERC-20 (EIP-20). */
const erc20 = new Interface([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);

type Reading = 'symbol' | 'decimals' | 'balanceOf' | 'allowance';

/** An answer that is none: the token reverts, returns nothing, or something else. */
export interface NoAnswer {
  /** `0x` where there is no contract at all; undefined where the call reverted. */
  readonly returned: Hex | undefined;
}

/**
 * Reads from a token contract: the value, or what came instead.
 *
 * @throws RpcError if the node refuses, EngineError `CHAIN_UNREACHABLE`
 */
export const readToken = async (
  { call }: RpcClient,
  token: Address,
  reading: Reading,
  ...args: readonly Address[]
): Promise<{ readonly value: bigint | string } | NoAnswer> => {
  let returned: Hex | undefined;
  try {
    returned = await call(token, erc20.encodeFunctionData(reading, args) as Hex);
    return { value: erc20.decodeFunctionResult(reading, returned)[0] as bigint | string };
  } catch (error) {
    if (returned !== undefined) return { returned };
    if (error instanceof RpcError && hasReverted(error)) return { returned };
    throw error;
  }
};
