import { Contract, Interface, type Provider } from 'ethers';
import type { Address, Hex } from '../shared/schema/hex.ts';
import type { AccountCall } from './simple-account.ts';

const erc20 = new Interface([
  'function approve(address spender, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
]);

/** The call with which an account allows `spender` to take tokens. `value` is in the token's smallest unit. */
export const approval = (token: Address, spender: Address, value: bigint): AccountCall => ({
  to: token,
  data: erc20.encodeFunctionData('approve', [spender, value]) as Hex,
});

/** On-chain token balance of an account, in the token's smallest unit. */
export const tokensOf = async (token: Address, owner: Address, provider: Provider): Promise<bigint> =>
  (await new Contract(token, erc20, provider).getFunction('balanceOf')(owner)) as bigint;
