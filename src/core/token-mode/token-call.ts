import { Interface } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';

/**
 * The ERC-20 functions (EIP-20) that move tokens or change allowances, and the additional functions of OpenZeppelin's
 * tokens.
 */
const erc20 = new Interface([
  'function approve(address spender, uint256 value) returns (bool)',
  'function increaseAllowance(address spender, uint256 value) returns (bool)',
  'function decreaseAllowance(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
]);

/**
 * The change that a call to a token contract makes: to an allowance of the caller, or to a balance. Without `from`, the
 * balance is the caller's.
 */
export type TokenCall =
  | { readonly change: 'allowance'; readonly spender: Address; readonly after: (before: bigint) => bigint }
  | { readonly change: 'balance'; readonly from?: Address; readonly to: Address; readonly units: bigint };

/**
 * Decodes a call to a token contract. Undefined if it changes neither allowance nor balance, or if it reverts because
 * its arguments are truncated.
 */
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
