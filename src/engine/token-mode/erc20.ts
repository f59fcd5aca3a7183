import { Interface } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { type RpcClient, RpcError, hasReverted } from '../chain/rpc.ts';

/** The functions of ERC-20 (EIP-20) that are read here. */
const erc20 = new Interface([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);

type Reading = 'symbol' | 'decimals' | 'balanceOf' | 'allowance';

/** The token reverted, or returned nothing or invalid data. */
export interface NoAnswer {
  /** `0x` if the address has no contract; undefined if the call reverted. */
  readonly returned: Hex | undefined;
}

/**
 * The value, or what the token returned instead.
 *
 * @throws RpcError if the node returns an error, EngineError `CHAIN_UNREACHABLE`
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
