import { Interface } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { type RpcClient, RpcError, hasReverted } from '../chain/rpc.ts';

/** ERC-20 (EIP-20), with the two functions of OpenZeppelin's tokens that change an allowance by a difference. */
const erc20 = new Interface([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function increaseAllowance(address spender, uint256 value) returns (bool)',
  'function decreaseAllowance(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
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

/** What a call of a token contract does: to an allowance of the caller, or to a balance (`from` absent: the caller's). */
export type TokenCall =
  | { readonly change: 'allowance'; readonly spender: Address; readonly after: (before: bigint) => bigint }
  | { readonly change: 'balance'; readonly from?: Address; readonly to: Address; readonly units: bigint };

/** Reads a call of a token contract; undefined where it changes neither, or its arguments are cut short and it reverts. */
export const readTokenCall = (data: Hex): TokenCall | undefined => {
  let call: ReturnType<typeof erc20.parseTransaction>;
  try {
    call = erc20.parseTransaction({ data });
  } catch {
    return undefined;
  }
  const [first, second, third] = (call?.args ?? []) as unknown as [Address, bigint | Address, bigint];
  const units = second as bigint;
  switch (call?.name) {
    case 'approve':
      return { change: 'allowance', spender: first, after: () => units };
    case 'increaseAllowance':
      return { change: 'allowance', spender: first, after: (before) => before + units };
    case 'decreaseAllowance':
      return { change: 'allowance', spender: first, after: (before) => (before > units ? before - units : 0n) };
    case 'transfer':
      return { change: 'balance', to: first, units };
    case 'transferFrom':
      return { change: 'balance', from: first, to: second as Address, units: third };
    default:
      return undefined;
  }
};
