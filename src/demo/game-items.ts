import { Interface } from 'ethers';
import type { Address, Hex } from '../shared/schema/hex.ts';
import type { AccountCall } from './simple-account.ts';
import type { World } from './world.ts';
import { contractAt } from './world-contracts.ts';

/** ABI of the sample DApp. */
export const gameItems = new Interface([
  'function mint(uint256 amount)',
  'function burn(uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
]);

/** A call of the sample DApp. */
export const gameCall = ({ contracts }: World, method: 'mint' | 'burn', amount: bigint): AccountCall => ({
  to: contracts.gameItems,
  data: gameItems.encodeFunctionData(method, [amount]) as Hex,
});

/** Items that an account owns, by the chain. */
export const itemsOf = async ({ provider, contracts }: World, owner: Address): Promise<bigint> => {
  const contract = await contractAt('GameItems', contracts.gameItems, provider);
  return (await contract.getFunction('balanceOf')(owner)) as bigint;
};
